import { isOpen, type Post } from "../../domain/post/post.ts";
import type { Life } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** How the agenda learns what wakes: it looks into the store, where every replica's plans are. */
export interface Looks {
  start(): void;
  /** Is told of each post that is begun: what a look that is under way sees of it may be over. */
  begun(post: Post): void;
  /** Looks at one post soon, by itself, until there is an answer: its work has ended, and nobody here knows as what. */
  again(post: Post): Promise<void>;
}

/** From when on a post is late: it makes way for what comes due, also when an outage has left thousands. */
export const LATE_MS = 10_000;
/** Rows in one look: several of the largest guilds' posts of one instant. */
const PAGE = 20_000;
const LATE_PAGE = 2_000;

/**
 * @param inWork - What is in work now.
 * @param found - Is given what a look found, without what was begun since.
 */
export function newLooks(
  { clock, store, reports }: Pick<Ports, "clock" | "store" | "reports">,
  timing: Timing,
  life: Life,
  inWork: () => readonly Post[],
  found: (posts: readonly Post[]) => void,
): Looks {
  /** For each look that is under way the posts that were in work since it began. */
  const underWay = new Set<Map<string, Post>>();

  async function look(read: () => Promise<readonly Post[]>): Promise<void> {
    const met = new Map(inWork().map((post) => [post.id, post]));
    underWay.add(met);
    try {
      const posts = await read();
      found(posts.filter((post) => !isSame(met.get(post.id), post)));
    } finally {
      underWay.delete(met);
    }
  }

  function lookAhead(): Promise<void> {
    const now = clock.now();
    return look(() => store.waking(now - LATE_MS, now + timing.lookAheadMs, PAGE));
  }

  /** What is late is looked for apart: however much it is, it does not hide what is due now. */
  function lookBack(): Promise<void> {
    return look(() => store.waking(0, clock.now() - LATE_MS, LATE_PAGE));
  }

  async function lookAt(id: string): Promise<readonly Post[]> {
    const post = await store.find(id);
    return post !== null && isOpen(post) ? [post] : [];
  }

  return {
    start() {
      life.repeat("look ahead", timing.lookEveryMs, lookAhead);
      life.repeat("look back", timing.lookBackEveryMs, lookBack);
    },
    begun(post) {
      for (const met of underWay) met.set(post.id, post);
    },
    async again({ id, deadline }) {
      do {
        await life.sleep(timing.lookAgainMs);
        if (life.stopping) return;
        try {
          return await look(() => lookAt(id));
        } catch (error) {
          reports.trouble("look again", { post: id, error });
        }
      } while (clock.now() <= deadline);
    },
  };
}

/** Whether nothing has happened to it that makes another look worth while. */
export function isSame(known: Post | undefined, post: Post): boolean {
  return known?.wakeAt === post.wakeAt && known.fence === post.fence && known.planRevision === post.planRevision;
}
