import { action, broadcastEvent, type EventContract } from "./contract.ts";
import { epochMs, guildId, integer, oneOf, optional, reference, snowflake, text, textOf } from "./field-rules.ts";
import {
  ANNOUNCEMENT_ID,
  EVENT_OR_OCCURRENCE_ID,
  type AnnouncementId,
  type EpochMs,
  type EventId,
  type GuildId,
  type OccurrenceId,
} from "./ids.ts";

/** Where a post stands. The last six never change again. */
export const POST_STATES = [
  "planned",
  "sending",
  "sent",
  "failed",
  "unknown",
  "missed",
  "cancelled",
  "skipped",
] as const;
export type PostState = (typeof POST_STATES)[number];

/** Reasons that currently prevent a planned post; the codes are stable. */
export const PROBLEM_CODES = [
  "CHANNEL_FOREIGN",
  "CHANNEL_UNKNOWN",
  "CHANNEL_UNREACHABLE",
  "CHANNEL_UNSUITABLE",
  "PERMISSION_MISSING",
] as const;
export interface PostProblem {
  readonly code: (typeof PROBLEM_CODES)[number];
  readonly message: string;
}

/** Causes of the lateness of a post (D44). */
export const LATE_CODES = [
  "DISPATCH_DOWN",
  "PROCESS_STALLED",
  "DATABASE",
  "SINK_HALTED",
  "PLANNED_LATE",
  "NOT_TAKEN_UP",
  "OTHER_REPLICA",
  "WORKER_VANISHED",
  "ATTEMPT_FAILED",
  "OWNERS_SILENT",
  "RECEIVER_LIMIT",
  "CHANNEL_LIMIT",
  "CHANNEL_QUEUE",
  "SINK_BUDGET",
  "SINK_QUEUE",
  "RECEIVER_SLOW",
] as const;
export type LateCode = (typeof LATE_CODES)[number];

/** The kinds of reasons why a post was not sent, or not on time; `other` is a reason of none of them. */
export const REASON_CODES = [
  "SUSPENDED",
  "REFUSED",
  "CHANNEL_UNUSABLE",
  "TOO_MANY_POSTS",
  "POISON",
  "NOT_RENDERED",
  "SINK_OFF",
  "ANNOUNCED_ALREADY",
  "ANNOUNCEMENT_CHANGED",
  "EVENT_CHANGED",
  ...LATE_CODES,
  "OTHER",
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** The fields that every view of a post has. */
interface ListedPost {
  readonly dueAt: EpochMs;
  readonly announcementId: AnnouncementId;
  readonly eventId: EventId | OccurrenceId;
  readonly startsAt: EpochMs;
  readonly channel: string;
}

/** The states of a post that is not settled; `sending` may have been delivered, and nobody knows yet. */
export const OPEN_POST_STATES = ["planned", "sending"] as const satisfies readonly PostState[];

/** A post that is ahead, or whose outcome is not known yet (D44). */
export interface UpcomingPost extends ListedPost {
  readonly state: (typeof OPEN_POST_STATES)[number];
  /** How often it was taken up to be sent; absent where it never was. */
  readonly attempts?: number;
  /** Since when it may have been delivered without anybody knowing; of a post that is `sending`. */
  readonly inDoubtSince?: EpochMs;
  /** When the lease of the worker that has it ends, and another may take it over; while one has it. */
  readonly leaseUntil?: EpochMs;
  /** When it is tried again, or looked up at the receiver; of what was tried, and no worker has. */
  readonly nextTryAt?: EpochMs;
  /** The error of the last attempt. */
  readonly reason?: string;
  /** The problem that the last channel check found (D35); absent if it found none or could not tell. */
  readonly problem?: PostProblem;
}

/** A post that is settled, with its outcome. */
export interface SettledPost extends ListedPost {
  readonly state: PostState;
  /** When it was settled; database time. */
  readonly settledAt: EpochMs;
  /** Milliseconds from the due instant to the acknowledged send; absent when nothing was sent. */
  readonly lateMs?: number;
  /** Why it was not posted, or not on time: always there where it was not sent, or sent more than 5 s late. */
  readonly reason?: string;
  /** The kind of the reason; of what a late post waited for longest. */
  readonly reasonCode?: ReasonCode;
  readonly messageId?: string;
}

/** Why a guild's plan does not reach as far as it should (D39). */
export const NOT_PLANNED_CODES = ["TOO_MANY_POSTS", "TOO_MANY_OCCURRENCES"] as const;

/** The reason and the start of an incomplete part of a plan. */
export interface NotPlanned {
  readonly code: (typeof NOT_PLANNED_CODES)[number];
  readonly message: string;
  /** All that is due before is planned. */
  readonly dueFrom: EpochMs;
}

export interface UpcomingPosts {
  readonly posts: readonly UpcomingPost[];
  /** Only while the guild has more posts ahead than are planned. */
  readonly notPlanned?: NotPlanned;
}

const FEWER = { field: "amount", advice: "must be a smaller number, from 0 on" } as const;

/**
 * The guild's next posts, soonest first; −1 for all. What is being sent, or in doubt, is among them. A post has one entry,
 * whatever the number of sinks: of the sink where it is furthest from being settled.
 */
export const listUpcomingPosts = action<{ guildId: GuildId; amount: number }, UpcomingPosts>({
  name: "dispatch.listUpcoming",
  keys: "guild read",
  params: { guildId, amount: integer(-1, 2_147_483_647) },
  narrowing: FEWER,
  idempotent: true,
});

export interface HistoryParams {
  readonly guildId: GuildId;
  readonly amount: number;
  readonly id?: string;
}

/**
 * What became of the guild's posts, latest first; at most `amount`, −1 for all, of one announcement where an id is
 * given. Refused with TOO_MANY_ENTRIES when the answer would hold more than MAX_ENTRIES.
 */
export const listPostHistory = action<HistoryParams, SettledPost[]>({
  name: "dispatch.listHistory",
  keys: "guild read",
  params: { guildId, amount: integer(-1, 2_147_483_647), id: optional(reference) },
  narrowing: FEWER,
  idempotent: true,
});

/** A message as "create message" of Discord's API takes it; the names are Discord's. What is empty is left out. */
export interface MessageBody {
  readonly content?: string;
  readonly embeds?: readonly EmbedBody[];
  /** Exactly who is pinged, whatever the texts contain (D33). */
  readonly allowed_mentions: {
    readonly parse: readonly string[];
    readonly users?: readonly string[];
    readonly roles?: readonly string[];
  };
}

export interface EmbedBody {
  readonly title?: string;
  readonly description?: string;
  /** 0xRRGGBB. */
  readonly color: number;
  readonly image?: { readonly url: string };
  readonly author?: { readonly name: string };
  readonly footer?: { readonly text: string };
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
}

/** The messages that an announcement would post. */
export interface PostPreview {
  /** The occurrence that it is shown for. */
  readonly eventId: EventId | OccurrenceId;
  readonly startsAt: EpochMs;
  readonly channel: string;
  /** The problem that would prevent the post (D35); absent if there is none or it cannot be determined. */
  readonly problem?: PostProblem;
  readonly messages: readonly MessageBody[];
}

/**
 * The messages of an announcement as they would be sent now, for the next occurrence that it covers; nothing is sent.
 * A disabled one is shown as if it were enabled. With `eventId` they are for that event, for the next occurrence of
 * that series, or for that occurrence, covered or not. Refused with ANNOUNCEMENT_NOT_FOUND, and with EVENT_NOT_FOUND
 * when there is no such occurrence.
 */
export const previewPost = action<{ guildId: GuildId; id: string; eventId?: string }, PostPreview>({
  name: "dispatch.preview",
  keys: "guild read",
  params: { guildId, id: reference, eventId: optional(reference) },
  dependsOn: () => ["announcements", "calendar-events", "guild-settings"],
  idempotent: true,
  isSearch: true,
});

export interface PostOutcome extends SettledPost {
  readonly guildId: GuildId;
}
const anEventId = textOf("an event's or an occurrence's id", EVENT_OR_OCCURRENCE_ID, 50);
const outcome: EventContract<PostOutcome>["payload"] = {
  guildId,
  announcementId: textOf("an announcement's id", ANNOUNCEMENT_ID, 36),
  eventId: anEventId,
  startsAt: epochMs,
  dueAt: integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  channel: snowflake,
  state: oneOf(POST_STATES),
  settledAt: epochMs,
  lateMs: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  reason: optional(text(2_000)),
  reasonCode: optional(oneOf(REASON_CODES)),
  messageId: optional(text(200)),
};
/** Broadcast for every outcome (D34). */
export const announcementPosted = broadcastEvent<PostOutcome>({ name: "announcement.posted", payload: outcome });
export const announcementMissed = broadcastEvent<PostOutcome>({ name: "announcement.missed", payload: outcome });
export const announcementFailed = broadcastEvent<PostOutcome>({ name: "announcement.failed", payload: outcome });
