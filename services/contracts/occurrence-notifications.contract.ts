import { MAX_GUILDS_PER_CALL } from "./announcement-rules.contract.ts";
import { calendarNumber, COLORS, EVENT_TEXTS, type EventText } from "./calendar-events.contract.ts";
import { type ChangesSinceParams, type ChangesSinceResult, changesSinceRules } from "./change-feed.contract.ts";
import { action } from "./contract.ts";
import type { PostState, ReasonCode } from "./dispatch.contract.ts";
import { dateRules } from "./event-times.ts";
import { epochMs, flag, guildId, oneOf, optional, text, textOf } from "./field-rules.ts";
import {
  EVENT_ID,
  EVENT_OR_OCCURRENCE_ID,
  type EpochMs,
  type EventId,
  type GuildId,
  type OccurrenceId,
} from "./ids.ts";
import type { Occurrence } from "./occurrences.contract.ts";
import { type Page, pageNarrowing, type PageParams, pageRules } from "./pages.ts";
import { OCCURRENCE_TYPES, type OccurrenceType } from "./webhooks.contract.ts";

/** Since when at least one webhook of a guild is notified of each instant of its occurrences (D59). Database time. */
export interface OccurrenceSubscription {
  readonly guildId: GuildId;
  readonly since: Readonly<Partial<Record<OccurrenceType, EpochMs>>>;
}

/** For dispatch: the subscriptions of those of the guilds that have one, in no particular order. */
export const listOccurrenceSubscriptions = action<{ guildIds: readonly GuildId[] }, OccurrenceSubscription[]>({
  name: "webhooks.listOccurrenceSubscriptions",
  keys: "none",
  params: { guildIds: { type: "array", max: MAX_GUILDS_PER_CALL, items: guildId } },
  idempotent: true,
});

/** For dispatch: the webhooks that changed. */
export const webhooksChangesSince = action<ChangesSinceParams, ChangesSinceResult>({
  name: "webhooks.changesSince",
  keys: "none",
  params: changesSinceRules,
  idempotent: true,
});

/** The fields of an occurrence that the receiver of a notification gets. */
const NOTIFIED_FIELDS = [
  "occurrenceId",
  "eventId",
  "calendarNumber",
  "startsAt",
  "endsAt",
  "allDay",
  "startDate",
  "endDate",
  "color",
  "recurs",
  ...EVENT_TEXTS,
] as const satisfies readonly (keyof Occurrence)[];
export type NotifiedOccurrence = Pick<Occurrence, (typeof NOTIFIED_FIELDS)[number]>;

export function notifiedOccurrence(occurrence: Occurrence): NotifiedOccurrence {
  const fields = NOTIFIED_FIELDS.map((field) => [field, occurrence[field]] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as unknown as NotifiedOccurrence;
}

/** Longest id of an occurrence. */
const MAX_ID = 64;
/** Longest text of an event. */
const MAX_TEXT = 4_096;
const texts = Object.fromEntries(EVENT_TEXTS.map((name) => [name, optional(text(MAX_TEXT))])) as Record<
  EventText,
  object
>;

const occurrence = {
  type: "object",
  strict: true,
  props: {
    occurrenceId: textOf("an event's or occurrence's id", EVENT_OR_OCCURRENCE_ID, MAX_ID),
    eventId: textOf("an event's id", EVENT_ID, MAX_ID),
    calendarNumber,
    startsAt: epochMs,
    endsAt: epochMs,
    ...dateRules,
    color: oneOf(COLORS),
    recurs: flag,
    ...texts,
  } satisfies Record<keyof NotifiedOccurrence, unknown>,
} as const;

/** The start or the end of an occurrence. */
export interface OccurrenceNotification {
  readonly guildId: GuildId;
  readonly type: OccurrenceType;
  /** Identifies the notification: the same for every attempt. */
  readonly key: string;
  /** The instant at which the occurrence started or ended. */
  readonly occurredAt: EpochMs;
  /** The occurrence as it was at this instant. */
  readonly occurrence: NotifiedOccurrence;
}

/**
 * For dispatch: stores a delivery for each webhook of the guild with the type, unless it is stored already. Results in the number
 * of new deliveries.
 */
export const deliverOccurrence = action<OccurrenceNotification, { readonly amount: number }>({
  name: "webhooks.deliverOccurrence",
  keys: "none",
  params: {
    guildId,
    type: oneOf(OCCURRENCE_TYPES),
    key: textOf("the key of a notification", /^[A-Za-z0-9_-]{24}$/, 24),
    occurredAt: epochMs,
    occurrence,
  },
  idempotent: true,
});

/**
 * The outcomes of notifications that no webhook may have got: the time for it had passed, a failure is permanent, or nothing
 * proves that the deliveries are stored.
 */
export const MISSED_STATES = ["missed", "failed", "unknown"] as const satisfies readonly PostState[];
export type MissedState = (typeof MISSED_STATES)[number];

/** The start or the end of an occurrence of which the webhooks were not notified. */
export interface MissedNotification {
  readonly type: OccurrenceType;
  readonly eventId: EventId | OccurrenceId;
  readonly occurredAt: EpochMs;
  readonly state: MissedState;
  /** Time of the outcome, by the database server's clock. */
  readonly settledAt: EpochMs;
  /** A sentence. It says so if the entry stands for further notifications. */
  readonly reason: string;
  readonly reasonCode: ReasonCode;
}

/** The notifications of a guild that were missed in the last 30 days, the latest outcome first, in pages (D49). */
export const listMissedNotifications = action<{ readonly guildId: GuildId } & PageParams, Page<MissedNotification>>({
  name: "dispatch.listMissedNotifications",
  keys: "guild read",
  params: { guildId, ...pageRules },
  narrowing: pageNarrowing,
  idempotent: true,
});

/** Occurrences in one call: with the longest texts, of three bytes for each UTF-16 unit, less than the largest request. */
export const MAX_ENCODED_OCCURRENCES = 6;

/** For webhooks: occurrences as JSON in the form of the HTTP API, which only the gateway knows. Reads nothing. */
export const encodeOccurrences = action<{ occurrences: readonly NotifiedOccurrence[] }, readonly string[]>({
  name: "api.encodeOccurrences",
  keys: "none",
  params: { occurrences: { type: "array", max: MAX_ENCODED_OCCURRENCES, items: occurrence } },
  idempotent: true,
});
