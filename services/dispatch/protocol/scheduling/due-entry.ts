import type { EpochMs } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { FairItem } from "./fair-queue.ts";

/**
 * In this order: posts on time of which this replica has rank 0, posts on time that a replica with a lower rank should have
 * taken by now, late posts of any rank, steps of sent messages (D67, D68) of any rank.
 */
export type Priority = "own" | "others" | "late" | "step";

/** A post that this replica has read, until its work ends. */
export interface DueEntry extends FairItem {
  readonly post: Post;
  /** This replica's rank for the post: the replica with rank 0 takes it first, the others later, in the order of ranks. */
  readonly rank: number;
  readonly priority: Priority;
  /** When this replica read the post. */
  readonly foundAt: EpochMs;
  /** From when this replica may start the post: the wait in its queues begins. */
  readonly readyAt: EpochMs;
}
