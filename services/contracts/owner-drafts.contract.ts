import { OFFSET_ANCHORS, type OffsetAnchor } from "./announcement-offsets.ts";
import type { Announcement, AnnouncementRule } from "./announcements.contract.ts";
import { MAX_ENTRIES } from "./calendar-events.contract.ts";
import { action } from "./contract.ts";
import { type DraftChange, draftChanges, DRAFTED_WRITES, MAX_DRAFT_CHANGES } from "./draft-changes.contract.ts";
import type { Refusal } from "./errors.ts";
import { epochMs, flag, guildId, integer, listOf, oneOf, optional, reference, textOf } from "./field-rules.ts";
import type { GuildSettings } from "./guild-settings.contract.ts";
import { holidaysOfRule } from "./holidays.ts";
import type { AnnouncementId, EpochMs, EventId, GuildId, OccurrenceId } from "./ids.ts";
import {
  type DueDigests,
  dueDigestsRule,
  type Occurrence,
  onlyRule,
  type OnlyOccurrences,
  readDigest,
  type ReadDigestParams,
  windowRule,
} from "./occurrences.contract.ts";
import type { Window } from "./window.ts";

/** The first change of a list that its owner refuses. */
export interface RefusedDraft {
  readonly refused: { readonly at: number; readonly refusal: Refusal };
}

/** All changes of a request. Each owner makes the changes of its own records in memory, and skips the others. */
interface Drafts {
  readonly guildId: GuildId;
  readonly changes: readonly DraftChange[];
}

const drafts = { guildId, changes: draftChanges };
const internal = { keys: "none", drafts: { contracts: DRAFTED_WRITES }, idempotent: true } as const;

export interface DraftedSettings {
  readonly before: GuildSettings;
  readonly after: GuildSettings;
  /** The number of calendars before each change, and after the last one. */
  readonly maxCalendars: readonly number[];
}

/** For dispatch: the settings before and after the changes. */
export const draftSettings = action<
  Drafts & { readonly byOperator: boolean; readonly now: EpochMs },
  DraftedSettings | RefusedDraft
>({
  name: "guild-settings.draft",
  ...internal,
  params: { ...drafts, byOperator: flag, now: epochMs },
});

/** An event to look up for the change at an index, as it is before this change. */
export interface DraftReference {
  readonly at: number;
  readonly eventId: string;
}

/** The event that was found; null if there is none. */
export interface DraftedReference extends DraftReference {
  readonly found: { readonly eventId: EventId | OccurrenceId; readonly recurs: boolean } | null;
}

interface EventDrafts extends Drafts {
  /** Time of the changes. */
  readonly now: EpochMs;
  readonly maxCalendars: DraftedSettings["maxCalendars"];
}

export interface DraftOccurrencesParams extends EventDrafts {
  /** At most two for each change of an announcement. */
  readonly references: readonly DraftReference[];
  /** The instants by which occurrences are selected (D54): START by default. */
  readonly anchor?: OffsetAnchor;
  /** The anchors of the occurrences of changed events. */
  readonly window: Window;
  /** The anchors of the occurrences of all other events; none are read without windows. */
  readonly windows: readonly Window[];
  /** Selects among the other events. */
  readonly only?: OnlyOccurrences;
  /** The digests that are due in a window are among the occurrences of events that no change names. */
  readonly digests?: DueDigests;
  /** Numbers of calendars whose entries are the `holidays` of the occurrences (D66). */
  readonly holidaysOf?: readonly number[];
  /** Largest number of occurrences in each of the lists. */
  readonly limit: number;
}

/** The occurrences, without texts, soonest first. */
export interface DraftedOccurrences {
  /** Those that the changes do not affect. */
  readonly unchanged: readonly Occurrence[];
  /** Those of changed events: before the changes, and after them. */
  readonly before: readonly Occurrence[];
  readonly after: readonly Occurrence[];
  /** The occurrences in `before` and `after` of which something else than their start differs. */
  readonly altered: readonly OccurrenceId[];
  /** Whether a list has only the soonest occurrences, because there are more than `limit`. */
  readonly truncated: boolean;
  readonly references: readonly DraftedReference[];
}

const MAX_REFERENCES = 2 * MAX_DRAFT_CHANGES;
const at = integer(0, MAX_DRAFT_CHANGES - 1);
const maxCalendars = { type: "array", max: MAX_DRAFT_CHANGES + 1, items: integer(1, Number.MAX_SAFE_INTEGER) };
const eventDrafts = { ...drafts, now: epochMs, maxCalendars };

/** For dispatch: the occurrences before and after the changes. */
export const draftOccurrences = action<DraftOccurrencesParams, DraftedOccurrences | RefusedDraft>({
  name: "calendar-events.draftOccurrences",
  ...internal,
  params: {
    ...eventDrafts,
    references: {
      type: "array",
      max: MAX_REFERENCES,
      items: { type: "object", strict: true, props: { at, eventId: reference } },
    },
    anchor: optional(oneOf(OFFSET_ANCHORS)),
    window: windowRule,
    windows: { type: "array", max: 1000, items: windowRule },
    only: optional(onlyRule),
    digests: optional(dueDigestsRule),
    holidaysOf: holidaysOfRule,
    limit: integer(1, MAX_ENTRIES),
  },
});

/** Occurrences in one call of `showDraftOccurrences`, before and after the changes. */
const MAX_SHOWN = 400;
const occurrenceIds = listOf(textOf("an id", /^[0-9A-Za-z_]+$/, 64), MAX_SHOWN);

export interface ShowDraftOccurrencesParams extends EventDrafts {
  readonly before: readonly OccurrenceId[];
  readonly after: readonly OccurrenceId[];
  /** The digests whose ids are among the others, as they are before and after the changes. */
  readonly digests?: { readonly before: readonly ShownDigest[]; readonly after: readonly ShownDigest[] };
  readonly holidaysOf?: readonly number[];
}

export type ShownDigest = Pick<ReadDigestParams, "announcementId" | "digest">;

export interface ShownDraftOccurrences {
  readonly before: readonly Occurrence[];
  readonly after: readonly Occurrence[];
}

const shownDigest = {
  type: "object",
  strict: true,
  props: { announcementId: readDigest.params.announcementId, digest: readDigest.params.digest },
} as const;
/** A guild has at most 1000 announcements. */
const shownDigests = { type: "array", max: 1000 + MAX_DRAFT_CHANGES, items: shownDigest } as const;
const shownDigestsRule = {
  type: "object",
  strict: true,
  props: { before: shownDigests, after: shownDigests },
} as const;

/** For dispatch: occurrences with their texts, before and after the changes; missing ones are left out. */
export const showDraftOccurrences = action<ShowDraftOccurrencesParams, ShownDraftOccurrences | RefusedDraft>({
  name: "calendar-events.showDraftOccurrences",
  ...internal,
  params: {
    ...eventDrafts,
    before: occurrenceIds,
    after: occurrenceIds,
    digests: optional(shownDigestsRule),
    holidaysOf: holidaysOfRule,
  },
});

export interface DraftAnnouncementsParams extends Drafts {
  /** Time of the changes. */
  readonly now: EpochMs;
  readonly references: readonly DraftedReference[];
  /** Absent in calls of releases without digests. */
  readonly maxCalendars?: DraftedSettings["maxCalendars"];
}

export interface DraftedAnnouncements {
  readonly before: readonly AnnouncementRule[];
  readonly after: readonly AnnouncementRule[];
  /** The changed announcements, after the changes; those that were removed have none. */
  readonly changed: readonly { readonly id: AnnouncementId; readonly announcement?: Announcement }[];
}

/** For dispatch: the rules before and after the changes. */
export const draftAnnouncements = action<DraftAnnouncementsParams, DraftedAnnouncements | RefusedDraft>({
  name: "announcements.draft",
  ...internal,
  params: {
    ...drafts,
    now: epochMs,
    maxCalendars: { ...maxCalendars, optional: true },
    references: {
      type: "array",
      max: MAX_REFERENCES,
      items: {
        type: "object",
        strict: true,
        props: {
          at,
          eventId: reference,
          found: {
            type: "object",
            strict: true,
            nullable: true,
            props: { eventId: textOf("an id", /^[0-9A-Za-z_]+$/, 64), recurs: flag },
          },
        },
      },
    },
  },
});

/** Whether an owner refused a change. */
export function isRefusedDraft(value: object): value is RefusedDraft {
  return "refused" in value;
}
