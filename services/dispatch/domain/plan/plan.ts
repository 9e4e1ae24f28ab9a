import type { EpochMs } from "../../../contracts/ids.ts";
import type { Post, PostPlan } from "../post/post.ts";
import type { Position } from "./plan-order.ts";

/** Identifies a row in state `planned` that was neither claimed nor planned again since it was read. */
export interface PlannedRow {
  readonly id: string;
  readonly fence: number;
  readonly planRevision: number;
}

export interface PlanUpdate extends PlannedRow {
  readonly startsAt: EpochMs;
  readonly to:
    | ({ readonly state: "planned"; readonly wakeAt: EpochMs; readonly plannedAt?: EpochMs } & PostPlan & {
          /** Present if it differs from that of the row; undefined to remove it. */
          readonly skipReason?: string | undefined;
        })
    | { readonly state: "cancelled" | "skipped"; readonly reason: string; readonly settledAt: EpochMs };
}

export interface PlanChanges {
  readonly inserts: readonly Post[];
  readonly updates: readonly PlanUpdate[];
  /** Deferred rows: sooner posts need their places. They return when there is room. */
  readonly removes: readonly PlannedRow[];
}

export interface Plan extends PlanChanges {
  /** The first position that is not planned; undefined when all positions are. */
  readonly end: Position | undefined;
  /** Whether the guild has as many open posts as it may have. */
  readonly isFull: boolean;
}
