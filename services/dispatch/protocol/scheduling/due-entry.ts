import type { EpochMs } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { FairItem } from "./fair-queue.ts";

/** In this order: posts of this replica, posts that another replica should have taken by now, late posts of any. */
export type Priority = "own" | "others" | "late";

/** A post that waits for its turn. */
export interface DueEntry extends FairItem {
  readonly post: Post;
  /** This replica's rank for the post; 0 goes first. */
  readonly rank: number;
  readonly priority: Priority;
  /** When this replica read the post. */
  readonly foundAt: EpochMs;
  /** Since when the post waits for its turn. */
  readonly readyAt: EpochMs;
}
