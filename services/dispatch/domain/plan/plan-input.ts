import type { OffsetAnchor } from "../../../contracts/announcement-offsets.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Pause } from "../../../contracts/pause.ts";
import type { Window } from "../../../contracts/window.ts";
import type { Post } from "../post/post.ts";
import type { SinkName } from "../post/sink-name.ts";
import type { Outage } from "../post/wait.ts";
import type { Candidate, SelectionInput } from "./select-soonest.ts";

/** Largest number of posts of one guild that are open at the same time (D39). */
export const MAX_OPEN_POSTS = 5_000;
/**
 * Number of a guild's latest cancelled and skipped posts that stay in the ledger (D39). A plan desires fewer: a thousand
 * announcements have ten skipped posts and a summary each, in each of three sinks.
 */
export const MAX_UNSENT_POSTS = 40_000;
/** A plan selects at most this many candidates for each post that may be open. */
export const CANDIDATES_PER_POST = 2;

/**
 * When each sink was enabled. A sink posts nothing that was due before; a sink that is not listed has always been
 * enabled.
 */
export type SinksEnabledSince = Readonly<Partial<Record<SinkName, EpochMs>>>;

/** For each anchor the windows in which every occurrence with such an anchor instant was read. */
export type AnchorWindows = Readonly<Partial<Record<OffsetAnchor, readonly Window[]>>>;

/** Since when posts are planned, the same for all guilds. */
export interface LedgerStart {
  readonly sinksEnabledSince?: SinksEnabledSince;
  /** Posts that were due before the end of this interval and have no row may have been sent. */
  readonly restore?: Outage | undefined;
}

/**
 * Everything that a guild's plan depends on. Posts before `start` stay as they are, and so do posts from `through` on, unless
 * sooner posts need their places.
 */
export interface PlanInput extends SelectionInput, LedgerStart {
  readonly guildId: GuildId;
  readonly announcements: readonly AnnouncementRule[];
  /** Every occurrence with an anchor in one of the windows of this anchor, and perhaps others. */
  readonly occurrences: readonly Occurrence[];
  readonly windows: AnchorWindows;
  /** The guild's soonest open posts, and all posts of the selected occurrences. */
  readonly existing: readonly Post[];
  readonly sinks: readonly SinkName[];
  /** Candidates that were due and were cancelled before any plan. */
  readonly cancelled?: readonly Candidate[];
  /** The pause of the guild (D62). */
  readonly guildPause?: Pause;
  /** The last occurrence that was read; present if more are due almost at the same time than can be read. */
  readonly lastRead?: Occurrence | undefined;
  readonly maxOpenPosts: number;
  /** Version of the stored plan. New rows are numbered by it, so a deferred row that returns is a different row. */
  readonly version: number;
}
