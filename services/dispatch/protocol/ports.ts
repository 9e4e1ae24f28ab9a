import type { Announcement, AnnouncementRule } from "../../contracts/announcements.contract.ts";
import type {
  Occurrence,
  OccurrencesStarting,
  OccurrencesStartingParams,
} from "../../contracts/occurrences.contract.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../../contracts/change-feed.contract.ts";
import type { GuildSettings } from "../../contracts/guild-settings.contract.ts";
import type { AnnouncementId, EpochMs, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { ChatMessage } from "../domain/message/chat-message.ts";
import type { Announced } from "../domain/message/announcement-embed.ts";
import type { Post, SinkName } from "../domain/post/post.ts";
import type { Sink } from "../sinks/sink.ts";
import type { PostStore } from "./post-store.ts";

/**
 * Everything that the protocol takes from the world. It has no clock, timer, randomness or I/O of its own: so the same
 * code runs in production and in the simulator. Every promise of a port settles in bounded time, or never again
 * because the process is gone.
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
  readonly reports: Reports;
}

/** The database server's time, mapped on a clock that nobody steps. Whole milliseconds; may lag behind it a little, never runs ahead. */
export interface Clock {
  now(): EpochMs;
}

export interface Timers {
  /** Runs `wake` after at least `ms`, or a little early: the protocol looks at the clock again. */
  after(ms: number, wake: () => void): Cancel;
}
export type Cancel = () => void;

/** The cancel of what is not set. */
export const NOTHING_SET: Cancel = () => {};

interface Randomness {
  /** In [0, 1). */
  fraction(): number;
  /** Unique among all replicas for ever. */
  id(): string;
}

/** Whose changes make plans: each answers what changed since a mark. */
export const FEEDS = ["announcements", "calendar-events", "guild-settings"] as const;
export type Feed = (typeof FEEDS)[number];

/** The other contexts. A rejected call says that the truth is not known now; null says that the thing is gone. */
export interface Owners {
  /** With those that were in force until after an instant. */
  announcementRules(guildId: GuildId, formerAfter: EpochMs): Promise<readonly AnnouncementRule[]>;
  /** Those of the guilds that have an announcement which is enabled, or had one lately. */
  announcingGuilds(guildIds: readonly GuildId[]): Promise<readonly GuildId[]>;
  announcement(guildId: GuildId, id: AnnouncementId): Promise<Announcement | null>;
  occurrences(params: OccurrencesStartingParams): Promise<OccurrencesStarting>;
  occurrence(guildId: GuildId, occurrenceId: OccurrenceId): Promise<Occurrence | null>;
  settings(guildId: GuildId): Promise<GuildSettings>;
  changesSince(feed: Feed, params: ChangesSinceParams): Promise<ChangesSinceResult>;
  /** Whether the bus is up. While it is down no edit can come in through the API either. */
  reachable(): boolean;
}

/** Who else dispatches. */
export interface Replicas {
  readonly self: string;
  /** All that are known to live now, itself included; may be out of date. */
  all(): readonly string[];
}

/** Pure: the messages of which a post consists, at least one. */
type Renderer = (announced: Announced) => readonly ChatMessage[];

/** What the rest of the world is told; never waited for. */
export interface Reports {
  /** A plan of a guild is stored; these are its open posts. */
  planned(posts: readonly Post[]): void;
  /** A post has got its outcome. */
  settled(post: Post): void;
  /** A post waited so long for its turn, or has to wait for its receiver's limits. */
  waited(sink: SinkName, what: "turn" | "limit", ms: number): void;
  /** Something went wrong that will be tried again, or was refused. */
  trouble(what: string, details: Readonly<Record<string, unknown>>): void;
}
