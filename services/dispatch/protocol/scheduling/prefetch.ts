import type { EpochMs } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import type { StateReader } from "./state-reader.ts";

/** Posts that are due within this time are prefetched as one batch. */
const BATCH_MS = 50;

/**
 * Reads the current state of posts shortly before they are due, so that only the claim is left at the due instant. Posts
 * that were not prefetched are read when they are due, and so are posts that would wait for their turn: a prefetched state
 * is valid for a short time only.
 */
export type Prefetch = (post: Post) => void;

/** @param waiting - Number of posts that wait for their turn. */
export function newPrefetch(
  { clock }: Ports,
  timing: Timing,
  lifecycle: Lifecycle,
  stateReader: StateReader,
  waiting: () => number,
): Prefetch {
  const batches = new Map<EpochMs, Post[]>();

  async function prefetchAt(at: EpochMs, posts: readonly Post[]): Promise<void> {
    await lifecycle.sleep(at - clock.now());
    batches.delete(at);
    if (!lifecycle.isStopping && waiting() < timing.maxPostsInWork) stateReader.prefetch(posts);
  }

  return (post) => {
    const at = Math.floor((post.wakeAt - timing.prefetchMs) / BATCH_MS) * BATCH_MS;
    if (at <= clock.now()) return;
    const batch = batches.get(at);
    // The rest of a burst is read when its turns come.
    if (batch !== undefined && batch.length >= timing.maxPostsInWork) return;
    if (batch !== undefined) return void batch.push(post);
    const first = [post];
    batches.set(at, first);
    void prefetchAt(at, first);
  };
}
