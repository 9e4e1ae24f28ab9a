import type { ChangeMark } from "../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import type { Position } from "../domain/plan/plan-order.ts";
import type { PlanChanges, SinksOnSince } from "../domain/plan/plan-input.ts";
import type { Post, SinkName } from "../domain/post/post.ts";
import type { Outage, Waited } from "../domain/post/wait.ts";
import type { Feed } from "./ports.ts";

/** How far a guild is planned. */
export interface GuildPlan {
  /** Counts the plans that were stored; 0 for a guild without one. */
  readonly version: number;
  /** Everything that is due before is planned; 0 without a plan. */
  readonly plannedThrough: EpochMs;
  /** When it has to be planned further. */
  readonly replanAt: EpochMs;
  /** Set where the plan ends before its horizon: the guild has more posts than may be open (D39). */
  readonly bounded?: BoundedPlan | undefined;
  /** Set where the guild has more occurrences than are read: of what is due later not all is known. */
  readonly occurrencesThrough?: EpochMs | undefined;
}

export interface BoundedPlan {
  /** The first that is not planned. */
  readonly cut: Position;
  /** Where the farthest plan ended since the guild has too many: from there on nothing was ever planned. */
  readonly reached: Position;
  /** What was over by then, and never planned, has its account. */
  readonly toldThrough: EpochMs;
}

/** When dispatch first ran, and when it did not run since: the beats of all replicas tell it. */
export interface Beats {
  /** The first of all. */
  readonly firstAt: EpochMs;
  /** The latest outages, oldest first. */
  readonly outages: readonly Outage[];
}

/** A plan or a part of it, with the version that was there before. */
export interface PlanCommit extends PlanChanges, GuildPlan {
  readonly guildId: GuildId;
  /** What the posts were planned from: kept for the hours in which its owners can't be asked. */
  readonly sources: readonly Source[];
}

/** A thing of another owner, as it was last seen. */
export interface Source {
  readonly id: string;
  /** Differs where the thing differs. */
  readonly version: string;
  /** As JSON. */
  readonly text: string;
  /** May be forgotten after this. */
  readonly neededUntil: EpochMs;
}

export interface Claim {
  /** The planned row that is claimed: what it says stands while its fence and plan revision do. */
  readonly post: Post;
  /** When it is made: the lease in the answer may begin then, and the row's does not end before it. */
  readonly asOf: EpochMs;
  readonly owner: string;
  readonly attemptId: string;
  readonly leaseMs: number;
  readonly parts: number;
  readonly announcementRevision: number;
  readonly changedBy?: Post["changedBy"];
  /** What the post has waited for, where it is late: its worker may vanish. */
  readonly waited?: Waited | undefined;
  /** The claim is void when it reaches the database later: the truth that it rests on is stale by then. */
  readonly notAfter: EpochMs;
}

type TakeOver = Pick<Post, "id" | "fence"> & Pick<Claim, "owner" | "attemptId" | "leaseMs">;

/** What a worker writes about a post: whatever it names is replaced, `undefined` removes. */
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
  ]?: Post[Field] | undefined;
};

/**
 * The plan and ledger. Each operation is atomic, and durable once it is answered. An operation that rejects may have
 * happened or not; it settles within a few seconds either way. "Now" is always the database's own time, taken when
 * the operation is applied.
 */
export interface PostStore {
  guildPlan(guildId: GuildId): Promise<GuildPlan>;
  /** Those of the guilds that have a plan. */
  plannedGuilds(guildIds: readonly GuildId[]): Promise<readonly GuildId[]>;
  /**
   * The guild's open posts, the soonest `limit` of them, and the latest `limit` each that suspend an announcement or stand
   * for what it skips.
   */
  standingPosts(guildId: GuildId, limit: number): Promise<readonly Post[]>;
  /** Posts of these occurrences and announcements: all that may have been posted, and of each other key the latest round. */
  postsOf(
    guildId: GuildId,
    occurrenceIds: readonly string[],
    announcementIds: readonly string[],
  ): Promise<readonly Post[]>;
  /**
   * All of the commit or nothing: undefined when another plan was stored since `version`, or when a row that it changes
   * was claimed meanwhile. Answers the version that is stored then; a plan that changes nothing writes nothing.
   */
  commitPlan(plan: PlanCommit): Promise<number | undefined>;
  /**
   * Removes rows of posts that were called off or skipped, beyond the latest `kept` of the guild: people may call off and
   * ask again as often as they like. At most as many at a time as a plan makes.
   */
  forgetUnsent(guildId: GuildId, kept: number): Promise<void>;
  /** Guilds whose `replanAt` is before this, the longest overdue first. */
  guildsToReplan(before: EpochMs, limit: number): Promise<readonly { guildId: GuildId; replanAt: EpochMs }[]>;
  /** Open posts with `wakeAt` in `[from, before)`, soonest first. */
  waking(from: EpochMs, before: EpochMs, limit: number): Promise<readonly Post[]>;
  find(id: string): Promise<Post | null>;
  /** `planned → sending`, when it is due by now and nothing has changed: the row as it then is, or null. */
  claim(claim: Claim): Promise<Post | null>;
  /** `sending → sending`, when its lease or its pause is over by now. Counts a crash when it still had an owner. */
  takeOver(claim: TakeOver): Promise<Post | null>;
  /** Prolongs the lease: null when it is no longer ours. */
  hold(id: string, fence: number, leaseMs: number, delivered: readonly string[]): Promise<Post | null>;
  /** Any other step from this state under this fence; null when the row is no longer there. */
  write(at: Post, write: PostWrite): Promise<Post | null>;
  /** Things by id, as they were last seen; what is missing is left out. */
  sources(ids: readonly string[]): Promise<readonly Source[]>;
  sourceVersions(ids: readonly string[]): Promise<readonly Omit<Source, "text">[]>;
  /** Since when each of these sinks is switched on; the others are switched off. 0 for those of the first start of all. */
  switchOnSinks(names: readonly SinkName[]): Promise<SinksOnSince>;
  marks(): Promise<Readonly<Partial<Record<Feed, ChangeMark>>>>;
  saveMark(feed: Feed, mark: ChangeMark): Promise<void>;
  /**
   * Dispatch runs. Where the beat before, of whichever replica, is longer ago than `gapMs`, the gap is an outage: the
   * database's for a replica that has run since then without a pause (`awakeSince`), otherwise dispatch's own.
   */
  beat(awakeSince: EpochMs, gapMs: number): Promise<Beats>;
}
