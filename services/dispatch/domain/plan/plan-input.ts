import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Position } from "./plan-order.ts";
import type { Post, PostPlan, SinkName } from "../post/post.ts";
import type { Candidate, SelectionTruth } from "./select-soonest.ts";

/** Of one guild at most this many posts are open at a time (D39). */
export const MAX_OPEN_POSTS = 5_000;
/**
 * Of one guild the ledger keeps at most this many posts that were called off or skipped, the latest (D39). More than a plan
 * can ask for: a thousand announcements skip ten posts each, and one for the others, in each of three sinks.
 */
export const MAX_UNSENT_KEPT = 40_000;
/** A plan looks at no more pairs of an announcement and an occurrence than this for each post that may be open. */
export const CANDIDATES_PER_POST = 2;

/** Starts in `[from, until)`. */
export interface Window {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** A sink posts nothing that was due before it was switched on. A sink that is not named was always on. */
export type SinksOnSince = Readonly<Partial<Record<SinkName, EpochMs>>>;

/** All that a guild's plan depends on; what is before `after` or not before `through` is left as it is. */
export interface GuildTruth extends SelectionTruth {
  readonly guildId: GuildId;
  readonly announcements: readonly AnnouncementRule[];
  /** Every occurrence that starts in one of the windows. */
  readonly occurrences: readonly Occurrence[];
  readonly windows: readonly Window[];
  /** The guild's soonest open posts, and all of the selected occurrences. */
  readonly existing: readonly Post[];
  readonly sinks: readonly SinkName[];
  readonly sinksOnSince?: SinksOnSince;
  /** What was due and is not asked for any more. */
  readonly calledOff?: readonly Candidate[];
  /** Set where more occurrences are due nearly at once than are read at a time: the last that is known. */
  readonly lastKnown?: Occurrence | undefined;
  readonly maxOpenPosts: number;
  /** The version of the plan before. A row is numbered by it, so that one which is put off and comes back is another. */
  readonly version: number;
}

/** Names a row that is `planned` and was not claimed or planned since it was read. */
export interface PlannedRow {
  readonly id: string;
  readonly fence: number;
  readonly planRevision: number;
}

/** A change to such a row. */
export interface PlanUpdate extends PlannedRow {
  readonly startsAt: EpochMs;
  readonly to:
    | ({ readonly state: "planned"; readonly wakeAt: EpochMs; readonly plannedAt?: EpochMs } & PostPlan)
    | { readonly state: "cancelled" | "skipped"; readonly reason: string; readonly settledAt: EpochMs };
}

export interface PlanChanges {
  readonly inserts: readonly Post[];
  readonly updates: readonly PlanUpdate[];
  /** Put off: sooner posts take the room. They have no row until there is room again. */
  readonly removes: readonly PlannedRow[];
}

export interface Plan extends PlanChanges {
  /** The first that is not planned; undefined where all are. */
  readonly cut: Position | undefined;
  /** Whether the guild has as many open posts as it may have. */
  readonly isFull: boolean;
}
