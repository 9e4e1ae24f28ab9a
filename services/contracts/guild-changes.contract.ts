import type { Announcement } from "./announcements.contract.ts";
import type { EventView } from "./calendar-events.contract.ts";
import type { CalendarView } from "./calendars.contract.ts";
import { action } from "./contract.ts";
import type { SettledPost } from "./dispatch.contract.ts";
import { epochMs, guildId, integer, listOf, optional, text, textOf } from "./field-rules.ts";
import type { GuildSettings } from "./guild-settings.contract.ts";
import type { EpochMs, GuildId } from "./ids.ts";
import { OWNERS } from "./service-names.ts";
import type { WebhookView } from "./webhooks.contract.ts";

/** Kinds of records in the changes of a guild (D48). */
export const CHANGE_KINDS = ["settings", "calendar", "event", "announcement", "post", "webhook"] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** An event with its calendar. */
export interface ChangedEvent extends EventView {
  readonly calendarNumber: number;
  /** Whether occurrences of the series were changed or cancelled. */
  readonly hasChangedOccurrences?: true;
}

/** The record of each kind. */
export interface RecordOfKind {
  readonly settings: GuildSettings;
  readonly calendar: CalendarView;
  readonly event: ChangedEvent;
  readonly announcement: Announcement;
  readonly post: SettledPost;
  readonly webhook: WebhookView;
}

/** The newest revision of a changed record. The member with the name of `kind` has the record, unless it is deleted. */
export interface GuildChange extends Partial<RecordOfKind> {
  readonly kind: ChangeKind;
  readonly id: string;
  /** Number of writes of the record, from 1. */
  readonly revision: number;
  /** Time of the last write, by the database server's clock. */
  readonly changedAt: EpochMs;
  readonly deleted: boolean;
}

export interface ListChangesParams {
  readonly guildId: GuildId;
  /** The token of the previous response; absent for the current state of all records. */
  readonly syncToken?: string;
  readonly limit?: number;
}

export interface GuildChanges {
  /** In the order of `changedAt`; a change that was stored late comes later. */
  readonly changes: readonly GuildChange[];
  readonly syncToken: string;
  /** Whether further changes can be read now. */
  readonly more: boolean;
}

/** Changes in one response. */
export const DEFAULT_CHANGES = 100;
const MAX_CHANGES = 1000;

/** Longest sync token: a header of 16 KiB has room for it. */
const MAX_SYNC_TOKEN = 6_000;
const SYNC_TOKEN = /^[A-Za-z0-9_.-]+$/;

/** Lists the records of a guild that have changed since a token, each once with its newest revision (D48). */
export const listChanges = action<ListChangesParams, GuildChanges>({
  name: "api.listChanges",
  keys: "guild read",
  refusals: ["SYNC_TOKEN_EXPIRED"],
  params: {
    guildId,
    syncToken: optional(textOf("the sync_token of a response for the same guild", SYNC_TOKEN, MAX_SYNC_TOKEN)),
    limit: optional(integer(1, MAX_CHANGES), DEFAULT_CHANGES),
  },
  dependsOn: () => OWNERS,
  isSearch: true,
  idempotent: true,
});

export interface ReadEncodedChangesParams {
  readonly guildId: GuildId;
  /** The kinds to read. The position of every other kind moves to the time of the read. */
  readonly kinds: readonly ChangeKind[];
  /** The token of the read before; absent for `since`. */
  readonly syncToken?: string;
  /** Changes of this time and later ones, for a first read. */
  readonly since?: EpochMs;
  readonly limit: number;
}

/** A change with its record in the form of the HTTP API. */
export interface EncodedChange extends Pick<GuildChange, "kind" | "id" | "revision" | "changedAt" | "deleted"> {
  /** The record as JSON, which keeps every digit of 64-bit ids; absent if it is deleted. */
  readonly json?: string;
}

export interface EncodedChanges extends Pick<GuildChanges, "syncToken" | "more"> {
  readonly changes: readonly EncodedChange[];
  /** Before the read, by the database server's clock. Without `more`, everything that was stored before is read. */
  readonly readAt: EpochMs;
  /** Whether changes wait until no earlier write can appear before them. */
  readonly isHeldBack: boolean;
}

/** Internal, for webhooks: the changes of a guild, with records in the form of the HTTP API, which only the gateway knows. */
export const readEncodedChanges = action<ReadEncodedChangesParams, EncodedChanges>({
  name: "api.readEncodedChanges",
  keys: "none",
  params: {
    guildId,
    kinds: listOf(textOf("a kind of records", /^[a-z]+$/, 20), CHANGE_KINDS.length),
    syncToken: listChanges.params.syncToken,
    since: optional(epochMs),
    limit: integer(1, MAX_CHANGES),
  },
  idempotent: true,
});

/** A position in the records of one kind of a guild, ordered by the time of the last write and the id. */
export interface RecordPosition {
  readonly at: EpochMs;
  readonly id: string;
  /** Digests of the revisions after the position that were delivered already. */
  readonly delivered: readonly string[];
}

/** The identity of a revision of a record. */
export interface RecordKey {
  readonly at: EpochMs;
  readonly id: string;
  readonly revision: number;
  /** 64 bits of a digest of id and revision. */
  readonly digest: string;
}

export interface ChangedRecord<Of> extends RecordKey {
  readonly deleted: boolean;
  /** Absent if the record is deleted. */
  readonly record?: Of;
}

export interface ChangedRecordsParams {
  readonly guildId: GuildId;
  readonly after: RecordPosition;
  /** Largest number of records that were not delivered yet. */
  readonly limit: number;
}

export interface ChangedRecords<Of> {
  /** The records after the position whose revision was delivered already. */
  readonly delivered: readonly RecordKey[];
  /** The other records after the position, in order. */
  readonly changed: readonly ChangedRecord<Of>[];
  /** No write with this time or an earlier one appears after this read. */
  readonly settledUntil: EpochMs;
  /** Whether further changed records follow. */
  readonly more: boolean;
}

/** A digest has 11 characters of base64url. */
const DIGEST = /^[A-Za-z0-9_-]{11}$/;
/** Largest number of digests in a position. */
export const MAX_DELIVERED = 400;

const changedRecordsRules = {
  guildId,
  after: {
    type: "object",
    strict: true,
    props: { at: epochMs, id: text(200), delivered: listOf(textOf("a digest", DIGEST, 11), MAX_DELIVERED) },
  },
  limit: integer(1, MAX_CHANGES),
} as const;

function changedRecordsOf<Of>(name: string) {
  return action<ChangedRecordsParams, ChangedRecords<Of>>({
    name,
    keys: "none",
    params: changedRecordsRules,
    idempotent: true,
  });
}

/** Internal, for the gateway: the changed records of each kind. */
export const listChangedSettings = changedRecordsOf<GuildSettings>("guild-settings.listChanged");
export const listChangedCalendars = changedRecordsOf<CalendarView>("calendar-events.listChangedCalendars");
export const listChangedEvents = changedRecordsOf<ChangedEvent>("calendar-events.listChanged");
export const listChangedAnnouncements = changedRecordsOf<Announcement>("announcements.listChanged");
export const listChangedWebhooks = changedRecordsOf<WebhookView>("webhooks.listChanged");
/** Settled posts, which do not change any more. */
export const listSettledPosts = changedRecordsOf<SettledPost>("dispatch.listSettled");
