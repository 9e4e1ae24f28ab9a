import type { Announcement, AnnouncementRule } from "../../contracts/announcements.contract.ts";
import type {
  Occurrence,
  OccurrencesStarting,
  OccurrencesStartingParams,
  ReadDigestParams,
} from "../../contracts/occurrences.contract.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../../contracts/change-feed.contract.ts";
import type { GuildSettings } from "../../contracts/guild-settings.contract.ts";
import type { AnnouncementId, EpochMs, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { ChatMessage } from "../domain/message/chat-message.ts";
import type { CancelledInput } from "../domain/message/edited-message.ts";
import type { MessageInput } from "../domain/message/message-input.ts";
import type { Post } from "../domain/post/post.ts";
import type { SinkName } from "../domain/post/sink-name.ts";
import type { Sink } from "../sinks/sink.ts";
import type { Feed } from "./feeds.ts";
import type { PostStore } from "./post-store.ts";

/**
 * The dependencies of the protocol. The protocol has no clock, timer, randomness or I/O of its own, so the same code runs
 * in production and in the simulator. Every promise of a port settles in bounded time while the process runs.
 */
export interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Randomness;
  readonly store: PostStore;
  readonly owners: Owners;
  readonly replicas: Replicas;
  readonly sinks: readonly Sink[];
  readonly render: Renderer;
  /** Pure: the message of an event that does not exist any more (D67). */
  readonly renderCancelled: (input: CancelledInput) => ChatMessage;
  readonly reports: Reports;
}

/**
 * The database server's time, mapped onto a monotonic clock. Whole milliseconds; may be behind the server by a little,
 * and is never ahead.
 */
export interface Clock {
  now(): EpochMs;
}

export interface Timers {
  /** Runs `wake` after `ms`, possibly a little early: the protocol compares the clock itself. */
  after(ms: number, wake: () => void): Cancel;
}
export type Cancel = () => void;

/** Cancels nothing. */
export const NO_TIMER: Cancel = () => {};

interface Randomness {
  /** In [0, 1). */
  fraction(): number;
  /** Globally unique. */
  id(): string;
}

/**
 * The services that own announcements, events and settings. A rejection means that the state is not known now; null
 * means that the thing does not exist.
 */
export interface Owners {
  /** The current rules, and former rules that ceased to be in force after `formerAfter`. */
  announcementRules(guildId: GuildId, formerAfter: EpochMs): Promise<readonly AnnouncementRule[]>;
  /** The guilds that have, or recently had, an enabled announcement. */
  announcingGuilds(guildIds: readonly GuildId[]): Promise<readonly GuildId[]>;
  announcement(guildId: GuildId, id: AnnouncementId): Promise<Announcement | null>;
  occurrences(params: OccurrencesStartingParams): Promise<OccurrencesStarting>;
  /** With the number of a calendar of holidays, the occurrence has the holiday of its day (D66). */
  occurrence(guildId: GuildId, occurrenceId: OccurrenceId, holidaysOf?: number): Promise<Occurrence | null>;
  /** The digest of a date with its entries; null if it is not posted on this date (D65). */
  digest(params: ReadDigestParams): Promise<Occurrence | null>;
  settings(guildId: GuildId): Promise<GuildSettings>;
  changesSince(feed: Feed, params: ChangesSinceParams): Promise<ChangesSinceResult>;
  /** Whether the bus is up. While it is down, no change can come in through the API either. */
  isReachable(): boolean;
}

/** The replicas of dispatch. */
export interface Replicas {
  readonly self: string;
  /** All replicas that are known to run, this one included; may be out of date. */
  all(): readonly string[];
}

/** Pure: the messages of a post, at least one. */
type Renderer = (input: MessageInput) => readonly ChatMessage[];

/** Notifications for logs, metrics and other services; the protocol does not wait for them. */
export interface Reports {
  /** A plan was stored; these are the guild's open posts. */
  planned(posts: readonly Post[]): void;
  settled(post: Post): void;
  /** A post waited for its turn, or has to wait for its receiver's limit. */
  waited(sink: SinkName, cause: "turn" | "limit", ms: number): void;
  /** An operation failed and will be retried, or was refused. */
  operationFailed(operation: string, details: FailureDetails): void;
}

/** The subject of a failed operation, and the cause of the failure. */
export interface FailureDetails {
  /** `changedBy` is the request that caused the post, as far as the operation knows it. */
  readonly post?: Pick<Post, "id" | "guildId" | "changedBy">;
  readonly guildId?: GuildId;
  readonly feed?: Feed;
  readonly sink?: SinkName;
  readonly error?: unknown;
  readonly reason?: string;
  /** Number of failures in a row. */
  readonly failures?: number;
}
