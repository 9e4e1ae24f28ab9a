import type { ChangeMark } from "../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { PlanChanges } from "../domain/plan/plan.ts";
import type { LedgerStart } from "../domain/plan/plan-input.ts";
import type { Position } from "../domain/plan/plan-order.ts";
import type { Post } from "../domain/post/post.ts";
import type { SinkName } from "../domain/post/sink-name.ts";
import type { Outage, WaitTotals } from "../domain/post/wait.ts";
import type { Feed } from "./feeds.ts";

/** How far a guild is planned. */
export interface GuildPlan {
  /** Increases with each stored plan, and with each stored part of one; 0 for a guild without a plan. */
  readonly version: number;
  /** Every post that is due before this instant is planned; 0 without a plan. */
  readonly plannedThrough: EpochMs;
  /** When the guild needs its next plan. */
  readonly replanAt: EpochMs;
  /** Present if the plan ends before its horizon, because the guild has more posts than may be open (D39). */
  readonly bounded?: BoundedPlan | undefined;
  /** Present if the guild has more occurrences than can be read: posts that are due later may be missing. */
  readonly occurrencesThrough?: EpochMs | undefined;
  /** Number of requests for a plan since the last plan that read all of them; undefined if there are none. */
  readonly requests?: number | undefined;
}

export interface BoundedPlan {
  /** The first position that is not planned. */
  readonly end: Position;
  /** The farthest `end` since the guild has too many posts. No position from here on was ever planned. */
  readonly farthestEnd: Position;
  /** Unplanned posts that expired before this instant have their `missed` rows. */
  readonly recordedThrough: EpochMs;
}

/** When dispatch first ran, and when no replica ran since. */
export interface Heartbeats {
  readonly firstAt: EpochMs;
  /** The latest outages, oldest first. */
  readonly outages: readonly Outage[];
}

/**
 * A plan, or a part of one. `version` is the stored version that it replaces. `requests` are those that the plan's input
 * includes, and undefined for a part that is not the last.
 */
export interface PlanCommit extends PlanChanges, GuildPlan {
  readonly guildId: GuildId;
  readonly sources: readonly Source[];
}

/** A copy of an announcement, occurrence or settings, for the time when their owner can't be reached. */
export interface Source {
  readonly id: string;
  /** Differs if the content differs. */
  readonly version: string;
  /** JSON. */
  readonly text: string;
  /** The copy may be deleted after this instant. */
  readonly neededUntil: EpochMs;
}

export interface Claim {
  /** The planned row. Its content is valid while fence and plan revision are unchanged. */
  readonly post: Post;
  /** The returned lease may begin here; the stored lease does not end earlier. */
  readonly madeAt: EpochMs;
  readonly owner: string;
  readonly attemptId: string;
  readonly leaseMs: number;
  readonly parts: number;
  readonly announcementRevision: number;
  readonly changedBy?: Post["changedBy"];
  /** Present if the message is edited when its event changes (D67). */
  readonly message?: Post["message"];
  /** Present for a late post: the waits must be stored in case its worker vanishes. */
  readonly waited?: WaitTotals | undefined;
  /** The claim is void if the database applies it later, because the state that it is based on is too old by then. */
  readonly notAfter: EpochMs;
}

/** The id of a post, and its guild, whose shard has the post. */
export type PostKey = Pick<Post, "id" | "guildId">;

/** A post that is `sending` with a fence, and the parts of it that were delivered. */
type HeldPost = PostKey & Pick<Post, "fence" | "delivered">;

type LeaseTakeover = PostKey &
  Pick<Post, "fence"> & { readonly state: "sending" | "sent" } & Pick<Claim, "owner" | "attemptId" | "leaseMs">;

/** The fields that a worker writes: each listed field is replaced, and `undefined` removes it. */
export type PostWrite = {
  readonly [
    Field in
      | "state"
      | "wakeAt"
      | "owner"
      | "attemptId"
      | "doubtSince"
      | "delivered"
      | "reason"
      | "settledAt"
      | "lateMs"
      | "messageId"
      | "suspends"
      | "waited"
      | "changedBy"
      | "message"
      | "stepDue"
      | "steps"
  ]?: Post[Field] | undefined;
};

/** In which order guilds are read whose next plan is due. */
export type DueOrder = "longest overdue first" | "latest first";

/** A guild whose next plan is due. */
export interface DueGuild {
  readonly guildId: GuildId;
  readonly replanAt: EpochMs;
}

/**
 * The plan and ledger. Each operation is atomic, and durable once it has resolved. An operation that rejects may have
 * been applied or not; it settles within a few seconds either way. "Now" is the database's time at which the operation is
 * applied.
 */
export interface PostStore {
  guildPlan(guildId: GuildId): Promise<GuildPlan>;
  /** The given guilds that have a plan. */
  plannedGuilds(guildIds: readonly GuildId[]): Promise<readonly GuildId[]>;
  /**
   * The guild's soonest open posts, and the latest posts that suspend an announcement or summarize what it skips; at most
   * `limit` of each.
   */
  postsForPlan(guildId: GuildId, limit: number): Promise<readonly Post[]>;
  /**
   * Of these occurrences and announcements, all posts that are open, may have been sent or suspend an announcement, and the
   * latest round of every key.
   */
  postsOfPairs(
    guildId: GuildId,
    occurrenceIds: readonly string[],
    announcementIds: readonly string[],
  ): Promise<readonly Post[]>;
  /**
   * Stores all of the commit or nothing: undefined if another plan was stored since `version`, or if a row that the commit
   * changes was claimed meanwhile. Returns the stored version. A plan that changes nothing writes nothing.
   */
  commitPlan(plan: PlanCommit): Promise<number | undefined>;
  /**
   * Requests a plan of the guild that begins after this call, as if it was planned only through `since`. The guild is due for
   * its next plan until such a plan is stored. Plans in progress can still be stored.
   */
  requestPlan(guildId: GuildId, since: EpochMs): Promise<void>;
  /**
   * Deletes cancelled and skipped posts beyond the guild's latest `kept`, as many at a time as one plan makes. Clients may
   * disable and enable an announcement without end.
   */
  deleteOldUnsent(guildId: GuildId, kept: number): Promise<void>;
  /** Guilds whose `replanAt` is before the instant. They are read page by page, so that those planned meanwhile are not read. */
  guildsToReplan(before: EpochMs, order: DueOrder): AsyncIterable<DueGuild>;
  /** Whether any guild has a plan. */
  hasPlans(): Promise<boolean>;
  /**
   * Open posts with `wakeAt` in `[from, before)`, soonest first; behind them sent posts whose next step is due then (D67). At most
   * `limit` of each.
   */
  postsWaking(from: EpochMs, before: EpochMs, limit: number): Promise<readonly Post[]>;
  /**
   * The soonest of these posts of each of the guilds behind one, as far as they are due in `[from, before)`, too: posts that wait
   * for another attempt since before `from` are left out.
   */
  postsOfGuildsWaking(from: EpochMs, before: EpochMs, guilds: GuildPage): Promise<PostsOfGuilds>;
  find(key: PostKey): Promise<Post | null>;
  /** `planned → sending`, if the post is due and unchanged. Returns the new row, or null. */
  claim(claim: Claim): Promise<Post | null>;
  /**
   * `sending → sending`, if the lease or the wait for a retry is over; or `sent → sent`, if a step is due. Counts a crash if the row
   * has an owner.
   */
  takeOver(claim: LeaseTakeover): Promise<Post | null>;
  /** Null if another claim took the post. */
  extendLease(post: HeldPost, leaseMs: number): Promise<Post | null>;
  /** Every other transition; null if state, fence or plan revision of the row differ from `at`. */
  write(at: Post, write: PostWrite): Promise<Post | null>;
  /** The guild's sent posts whose messages are edited at an instant, those with the latest end first. */
  editedPosts(guildId: GuildId, at: EpochMs, limit: number): Promise<readonly Post[]>;
  /**
   * Makes a step of these sent posts due now. Each row gets another plan revision, so that the worker of a step that began before
   * cannot end it. Rows whose messages are not edited any more stay as they are.
   */
  requestSteps(guildId: GuildId, ids: readonly string[]): Promise<void>;
  /** Stored copies of the guild by id; missing ones are left out. */
  sources(guildId: GuildId, ids: readonly string[]): Promise<readonly Source[]>;
  sourceVersions(guildId: GuildId, ids: readonly string[]): Promise<readonly Omit<Source, "text">[]>;
  /**
   * Enables these sinks and disables all others. Returns since when each is enabled, 0 for those of the very first start;
   * and the interval whose outcomes the latest restore from a backup has lost.
   */
  enableSinks(names: readonly SinkName[]): Promise<LedgerStart>;
  /** How far the changes of the feed are planned, by partition of the guilds; one without a mark is absent. */
  partitionMarks(feed: Feed): Promise<ReadonlyMap<number, PartitionMark>>;
  /** A stored mark never decreases. `by` is the name of the replica. */
  savePartitionMarks(
    feed: Feed,
    marks: ReadonlyMap<number, Pick<PartitionMark, "mark" | "confirmedAt">>,
    by: string,
  ): Promise<void>;
  /**
   * Records that dispatch runs. If the last heartbeat of any replica is longer ago than `gapMs`, the gap is an outage: of
   * the database if this replica has run without a pause since before it (`awakeSince`), otherwise of dispatch.
   */
  recordHeartbeat(awakeSince: EpochMs, gapMs: number): Promise<Heartbeats>;
}

/** How far the changes of a feed are planned in one partition of the guilds. */
export interface PartitionMark {
  readonly mark: ChangeMark;
  /** All changes before this instant are planned; 0 before a read to the end of the feed. */
  readonly confirmedAt: EpochMs;
  /** The replica that has saved it last, and when. */
  readonly by: string;
  readonly savedAt: EpochMs;
}

/** Planned guilds in the order of their ids. */
export interface GuildPage {
  /** Absent for the first page. */
  readonly behind?: GuildId | undefined;
  readonly guilds: number;
  readonly postsPerGuild: number;
}

export interface PostsOfGuilds {
  readonly posts: readonly Post[];
  /** The last guild of the page; undefined if there is none behind it. */
  readonly last: GuildId | undefined;
}
