import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import { isOpen, type Post } from "../../domain/post/post.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { PostKey } from "../post-store.ts";
import type { Timing } from "../timing.ts";

/** Reads the posts that wake soon from the store, which has the plans of all replicas. */
export interface DuePoller {
  start(): void;
  /** A post's work has started: a read that is in flight may return an outdated row of it. */
  onStarted(post: Post): void;
  /** Reads one post after its work ended without a known outcome; retries until there is a response or its deadline is over. */
  reread(post: Post): Promise<void>;
}

/** A post that is later than this yields to posts on time, also when an outage has left thousands. */
export const LATE_AFTER_MS = 10_000;
/** Several times the open posts of the largest guilds. */
const PAGE_SIZE = 20_000;
const LATE_PAGE_SIZE = 2_000;
/** Guilds in one read of their soonest posts. */
const GUILDS_AT_ONCE = 1_000;
/** Soonest posts of each guild: more than one guild may have in work (`sink-queue.ts`). */
const POSTS_PER_GUILD = 40;

/**
 * @param inWork - Returns the posts in work.
 * @param onFound - Called with the posts of a read, without those whose work started meanwhile.
 */
export function newDuePoller(
  { clock, store, reports }: Pick<Ports, "clock" | "store" | "reports">,
  timing: Timing,
  lifecycle: Lifecycle,
  inWork: () => readonly Post[],
  onFound: (posts: readonly Post[]) => void,
): DuePoller {
  /** For each read in flight, the posts in work at any time since its begin. */
  const inFlight = new Set<Map<string, Post>>();

  async function poll<Found extends { readonly posts: readonly Post[] }>(read: () => Promise<Found>): Promise<Found> {
    const started = new Map(inWork().map((post) => [post.id, post]));
    inFlight.add(started);
    try {
      const found = await read();
      onFound(found.posts.filter((post) => !isSameVersion(started.get(post.id), post)));
      return found;
    } finally {
      inFlight.delete(started);
    }
  }

  /**
   * Reads the posts that wake in an interval, the soonest first. A full page may hide the posts of other guilds: then the soonest
   * posts of every guild are read, too, so that no number of guilds with any number of posts hides those of another one.
   */
  async function pollBetween(from: EpochMs, before: EpochMs, limit: number): Promise<void> {
    const { posts } = await poll(async () => ({ posts: await store.postsWaking(from, before, limit) }));
    if (posts.filter(isOpen).length >= limit) await pollByGuild(from, before);
  }

  async function pollByGuild(from: EpochMs, before: EpochMs): Promise<void> {
    const size = { guilds: GUILDS_AT_ONCE, postsPerGuild: POSTS_PER_GUILD };
    const readBehind = (behind: GuildId | undefined) =>
      poll(() => store.postsOfGuildsWaking(from, before, { behind, ...size }));
    let { last } = await readBehind(undefined);
    while (last !== undefined && !lifecycle.isStopping) ({ last } = await readBehind(last));
  }

  function pollUpcoming(): Promise<void> {
    const now = clock.now();
    return pollBetween(now - LATE_AFTER_MS, now + timing.pollAheadMs, PAGE_SIZE);
  }

  /** Late posts are read apart, so that any number of them leaves room for posts that are due now. */
  function pollLate(): Promise<void> {
    return pollBetween(0, clock.now() - LATE_AFTER_MS, LATE_PAGE_SIZE);
  }

  async function readOpenPost(key: PostKey): Promise<{ readonly posts: readonly Post[] }> {
    const post = await store.find(key);
    return { posts: post !== null && isOpen(post) ? [post] : [] };
  }

  return {
    start() {
      lifecycle.repeat("poll upcoming posts", timing.pollEveryMs, pollUpcoming);
      lifecycle.repeat("poll late posts", timing.pollLateEveryMs, pollLate);
    },
    onStarted(post) {
      for (const started of inFlight) started.set(post.id, post);
    },
    async reread(post) {
      const { id, guildId, deadline } = post;
      do {
        await lifecycle.sleep(timing.rereadAfterMs);
        if (lifecycle.isStopping) return;
        try {
          await poll(() => readOpenPost({ id, guildId }));
          return;
        } catch (error) {
          reports.operationFailed("reread post", { post, error });
        }
      } while (clock.now() <= deadline);
    },
  };
}

/** Whether the post is unchanged as far as its next work depends on it. */
export function isSameVersion(known: Post | undefined, post: Post): boolean {
  return known?.wakeAt === post.wakeAt && known.fence === post.fence && known.planRevision === post.planRevision;
}
