import type { OffsetAnchor, PostOffset } from "./announcement-offsets.ts";
import { action } from "./contract.ts";
import { epochMs, guildId, integer, optional, reference } from "./field-rules.ts";
import type { AnnouncementId, EpochMs, EventId, GuildId, OccurrenceId } from "./ids.ts";
import { type ForeseenSkip, SKIP_CODES } from "./pause.ts";
import type { SteppedMessage } from "./posted-messages.ts";
import { type Page, pageNarrowing, type PageParams, pageRules } from "./pages.ts";

/** States of a post. The last six are final. */
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

/** Problems of a planned post; the codes are stable. */
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
  "RESTORED",
  "DISPATCH_DOWN",
  "PROCESS_STALLED",
  "DATABASE",
  "SINK_HALTED",
  "PLANNED_LATE",
  "GUILD_LIMIT",
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

/** Kinds of reasons why a post was not sent, or not on time. */
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
  "DIGEST_EMPTY",
  ...SKIP_CODES,
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
  /** The offset by which it is due; absent for a lead time (D54). */
  readonly anchor?: OffsetAnchor;
  readonly offsetMinutes?: number;
  readonly channel: string;
}

/** The states of a post that is not settled. A post in `sending` may have been delivered already. */
export const OPEN_POST_STATES = ["planned", "sending"] as const satisfies readonly PostState[];

/** A post that is not settled (D44). */
export interface UpcomingPost extends ListedPost, ForeseenSkip {
  readonly state: (typeof OPEN_POST_STATES)[number];
  /** Set if it is due later than the plan reaches: it is computed, and not stored yet (D57). */
  readonly computed?: true;
  /** Number of attempts; absent before the first one. */
  readonly attempts?: number;
  /** Time since which it may have been delivered without confirmation; only in `sending`. */
  readonly inDoubtSince?: EpochMs;
  /** End of the lease of the worker that is sending it, after which another worker may take it over. */
  readonly leaseUntil?: EpochMs;
  /** Time of the next attempt, or of the next lookup at the receiver; between attempts. */
  readonly nextTryAt?: EpochMs;
  /** The error of the last attempt. */
  readonly reason?: string;
  /** The problem that the last channel check found (D35); absent if it found none or could not be performed. */
  readonly problem?: PostProblem;
}

/** A post with its final outcome. */
export interface SettledPost extends ListedPost, SteppedMessage {
  readonly state: PostState;
  /** Time of the outcome, by the database server's clock. */
  readonly settledAt: EpochMs;
  /** Time at which a worker claimed it for the last time, by the database server's clock; absent if it was never tried. */
  readonly claimedAt?: EpochMs;
  /** Milliseconds from the due instant to the acknowledged send; absent if it was not sent. */
  readonly lateMs?: number;
  /** Why it was not sent, or not on time; always present if it was not sent, or was sent more than 5 s late. */
  readonly reason?: string;
  /** Kind of the reason; for a late post, the longest of its delays. */
  readonly reasonCode?: ReasonCode;
  readonly messageId?: string;
}

/** Reasons why the plan of a guild is incomplete (D39). */
export const NOT_PLANNED_CODES = ["TOO_MANY_POSTS", "TOO_MANY_OCCURRENCES"] as const;

/** The incomplete part of a plan. */
export interface NotPlanned {
  readonly code: (typeof NOT_PLANNED_CODES)[number];
  readonly message: string;
  /** All posts that are due before are planned. */
  readonly dueFrom: EpochMs;
}

export interface UpcomingPosts {
  readonly posts: readonly UpcomingPost[];
  /** Present while the guild has more future posts than can be planned. */
  readonly notPlanned?: NotPlanned;
}

const FEWER_ENTRIES = { field: "amount", advice: "must be a smaller number, from 0 on" } as const;

/**
 * Lists the guild's posts that are not settled, soonest first; an `amount` of −1 for all. A post has one entry even with several
 * sinks: that of the sink in which it is furthest from its outcome.
 */
export const listUpcomingPosts = action<{ guildId: GuildId; amount: number }, UpcomingPosts>({
  name: "dispatch.listUpcoming",
  keys: "guild read",
  params: { guildId, amount: integer(-1, 2_147_483_647) },
  narrowing: FEWER_ENTRIES,
  idempotent: true,
});

export type UpcomingPostsPage = Page<UpcomingPost> & Omit<UpcomingPosts, "posts">;

/** The due instants of the listed posts (D57). */
export interface DueWindow {
  /** Included. */
  readonly dueFrom?: EpochMs;
  /** Not included. */
  readonly dueUntil?: EpochMs;
}

/**
 * A page of the same list (D49). With a window it also has the posts that are due later than the plan reaches, up to 366 days
 * ahead, as they would be planned now (D57).
 */
export const listUpcomingPostsPage = action<{ guildId: GuildId } & DueWindow & PageParams, UpcomingPostsPage>({
  name: "dispatch.listUpcomingPage",
  keys: "guild read",
  params: { guildId, dueFrom: optional(epochMs), dueUntil: optional(epochMs), ...pageRules },
  crossFieldProblems: ({ dueFrom, dueUntil }) =>
    typeof dueFrom === "number" && typeof dueUntil === "number" && dueUntil <= dueFrom
      ? [{ field: "dueUntil", code: "OUT_OF_RANGE", message: "must be after the beginning of the window" }]
      : [],
  dependsOn: ({ dueFrom, dueUntil }) =>
    dueFrom === undefined && dueUntil === undefined ? [] : ["announcements", "calendar-events", "guild-settings"],
  narrowing: pageNarrowing,
  idempotent: true,
});

export interface HistoryParams {
  readonly guildId: GuildId;
  readonly amount: number;
  readonly id?: string;
}

/**
 * Lists the outcomes of the guild's posts, or of one announcement's, latest first; an `amount` of −1 for all. Refused with
 * TOO_MANY_ENTRIES if there are more than MAX_ENTRIES.
 */
export const listPostHistory = action<HistoryParams, SettledPost[]>({
  name: "dispatch.listHistory",
  keys: "guild read",
  params: { guildId, amount: integer(-1, 2_147_483_647), id: optional(reference) },
  narrowing: FEWER_ENTRIES,
  idempotent: true,
});

/** A page of the same list (D49). */
export const listPostHistoryPage = action<Omit<HistoryParams, "amount"> & PageParams, Page<SettledPost>>({
  name: "dispatch.listHistoryPage",
  keys: "guild read",
  params: { guildId, id: optional(reference), ...pageRules },
  narrowing: pageNarrowing,
  idempotent: true,
});

/** The body of Discord's "create message", in Discord's names. Empty members are absent. */
export interface MessageBody {
  readonly content?: string;
  readonly embeds?: readonly EmbedBody[];
  /** The users and roles to notify, regardless of the texts (D33). */
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

/** An offset of an announcement with the due instant of an occurrence. */
export interface PreviewedOffset extends PostOffset, ForeseenSkip {
  /** Absent if nothing is posted by the offset: an occurrence of a series but the first has no anchor CREATED. */
  readonly dueAt?: EpochMs;
}

/** The messages that an announcement would post now. With offsets, each of them has its own `skipReason`. */
export interface PostPreview extends ForeseenSkip {
  /** The occurrence for which the messages are rendered. */
  readonly eventId: EventId | OccurrenceId;
  readonly startsAt: EpochMs;
  readonly channel: string;
  /** When the posts for the occurrence are due by the offsets of the announcement; absent for a lead time (D54). */
  readonly offsets?: readonly PreviewedOffset[];
  /** The problem that would prevent the post (D35); absent if there is none or it cannot be determined. */
  readonly problem?: PostProblem;
  readonly messages: readonly MessageBody[];
}

/**
 * Renders the messages of an announcement for the next occurrence that it covers; sends nothing. A disabled announcement is
 * rendered as if it were enabled. With `eventId` the messages are for that event or occurrence, or for the next occurrence of
 * that series, even if the announcement does not cover it. Refused with ANNOUNCEMENT_NOT_FOUND, and with EVENT_NOT_FOUND if
 * there is no such occurrence.
 */
export const previewPost = action<{ guildId: GuildId; id: string; eventId?: string }, PostPreview>({
  name: "dispatch.preview",
  keys: "guild read",
  refusals: ["ANNOUNCEMENT_NOT_FOUND", "EVENT_NOT_FOUND"],
  params: { guildId, id: reference, eventId: optional(reference) },
  dependsOn: () => ["announcements", "calendar-events", "guild-settings"],
  idempotent: true,
  isSearch: true,
});
