import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";
import { maxInWorkOfGuild } from "./sink-queue.ts";
import type { StateReader } from "./state-reader.ts";

/** Posts that are due within this time are prefetched as one batch. */
const BATCH_MS = 50;

/** Posts that are prefetched together. */
class Batch {
  readonly posts: Post[] = [];
  readonly #ofGuild = new Map<GuildId, number>();

  /** Adds the post if it can be in work at its due instant; the rest of a burst is read when its turns come. */
  add(post: Post, maxInWork: number): void {
    const ofGuild = this.#ofGuild.get(post.guildId) ?? 0;
    if (this.posts.length >= maxInWork || ofGuild >= maxInWorkOfGuild(maxInWork)) return;
    this.#ofGuild.set(post.guildId, ofGuild + 1);
    this.posts.push(post);
  }
}

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
  const batches = new Map<EpochMs, Batch>();

  async function prefetchAt(at: EpochMs, posts: readonly Post[]): Promise<void> {
    await lifecycle.sleep(at - clock.now());
    batches.delete(at);
    if (!lifecycle.isStopping && waiting() < timing.maxPostsInWork) stateReader.prefetch(posts);
  }

  return (post) => {
    const at = Math.floor((post.wakeAt - timing.prefetchMs) / BATCH_MS) * BATCH_MS;
    if (at <= clock.now()) return;
    const existing = batches.get(at);
    const batch = existing ?? new Batch();
    batch.add(post, timing.maxPostsInWork);
    if (existing !== undefined) return;
    batches.set(at, batch);
    void prefetchAt(at, batch.posts);
  };
}
