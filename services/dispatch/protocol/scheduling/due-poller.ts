import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import { isOpen, type Post } from "../../domain/post/post.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
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
/** A guild with more posts than a full page divided by this is left out of the next page. */
const LARGE_PART = 40;
/** Number of pages of one poll. */
const MAX_PAGES = 4;

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

  async function poll(read: () => Promise<readonly Post[]>): Promise<readonly Post[]> {
    const started = new Map(inWork().map((post) => [post.id, post]));
    inFlight.add(started);
    try {
      const posts = await read();
      onFound(posts.filter((post) => !isSameVersion(started.get(post.id), post)));
      return posts;
    } finally {
      inFlight.delete(started);
    }
  }

  /**
   * Reads the posts that wake in an interval. After a full page, the posts of the guilds with many posts are left out, so that
   * they do not hide those of other guilds.
   */
  async function pollBetween(from: EpochMs, before: EpochMs, limit: number): Promise<void> {
    const except: GuildId[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const posts = await poll(() => store.postsWaking(from, before, limit, except));
      const large = posts.length < limit ? [] : guildsWithOver(limit / LARGE_PART, posts);
      if (large.length === 0) return;
      except.push(...large);
    }
  }

  function pollUpcoming(): Promise<void> {
    const now = clock.now();
    return pollBetween(now - LATE_AFTER_MS, now + timing.pollAheadMs, PAGE_SIZE);
  }

  /** Late posts are read apart, so that any number of them leaves room for posts that are due now. */
  function pollLate(): Promise<void> {
    return pollBetween(0, clock.now() - LATE_AFTER_MS, LATE_PAGE_SIZE);
  }

  async function readOpenPost(id: string): Promise<readonly Post[]> {
    const post = await store.find(id);
    return post !== null && isOpen(post) ? [post] : [];
  }

  return {
    start() {
      lifecycle.repeat("poll upcoming posts", timing.pollEveryMs, pollUpcoming);
      lifecycle.repeat("poll late posts", timing.pollLateEveryMs, pollLate);
    },
    onStarted(post) {
      for (const started of inFlight) started.set(post.id, post);
    },
    async reread({ id, deadline }) {
      do {
        await lifecycle.sleep(timing.rereadAfterMs);
        if (lifecycle.isStopping) return;
        try {
          await poll(() => readOpenPost(id));
          return;
        } catch (error) {
          reports.operationFailed("reread post", { post: id, error });
        }
      } while (clock.now() <= deadline);
    },
  };
}

function guildsWithOver(max: number, posts: readonly Post[]): GuildId[] {
  const counts = new Map<GuildId, number>();
  for (const { guildId } of posts) counts.set(guildId, (counts.get(guildId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > max).map(([guildId]) => guildId);
}

/** Whether the post is unchanged as far as its next work depends on it. */
export function isSameVersion(known: Post | undefined, post: Post): boolean {
  return known?.wakeAt === post.wakeAt && known.fence === post.fence && known.planRevision === post.planRevision;
}
