import { isOpen, type Post } from "../../domain/post/post.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** Reads the posts that wake soon from the store, which has the plans of all replicas. */
export interface DuePoller {
  start(): void;
  /** A post's work has started: a read that is in flight may return an outdated row of it. */
  onStarted(post: Post): void;
  /** Reads one post until there is a response, after its work ended without a known outcome. */
  reread(post: Post): Promise<void>;
}

/** A post that is later than this yields to posts on time, also when an outage has left thousands. */
export const LATE_AFTER_MS = 10_000;
/** Several times the open posts of the largest guilds. */
const PAGE_SIZE = 20_000;
const LATE_PAGE_SIZE = 2_000;

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

  async function poll(read: () => Promise<readonly Post[]>): Promise<void> {
    const started = new Map(inWork().map((post) => [post.id, post]));
    inFlight.add(started);
    try {
      const posts = await read();
      onFound(posts.filter((post) => !isSameVersion(started.get(post.id), post)));
    } finally {
      inFlight.delete(started);
    }
  }

  function pollUpcoming(): Promise<void> {
    const now = clock.now();
    return poll(() => store.postsWaking(now - LATE_AFTER_MS, now + timing.pollAheadMs, PAGE_SIZE));
  }

  /** Late posts are read apart, so that any number of them leaves room for posts that are due now. */
  function pollLate(): Promise<void> {
    return poll(() => store.postsWaking(0, clock.now() - LATE_AFTER_MS, LATE_PAGE_SIZE));
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
          return await poll(() => readOpenPost(id));
        } catch (error) {
          reports.operationFailed("reread post", { post: id, error });
        }
      } while (clock.now() <= deadline);
    },
  };
}

/** Whether the post is unchanged as far as its next work depends on it. */
export function isSameVersion(known: Post | undefined, post: Post): boolean {
  return known?.wakeAt === post.wakeAt && known.fence === post.fence && known.planRevision === post.planRevision;
}
