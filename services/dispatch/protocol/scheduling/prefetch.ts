import type { EpochMs } from "../../../contracts/ids.ts";
import type { Post } from "../../domain/post/post.ts";
import type { Questions } from "./state-reader.ts";
import type { Life } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { Timing } from "../timing.ts";

/** Posts that are due within so long of each other are asked about together. */
const STEP_MS = 50;

/**
 * Asks about posts shortly before they are due, many at once, so that at the due instant nothing but the claim is left.
 * Whom it misses is asked about when he is due. So is who would wait for his turn: answers are not good for long.
 */
export type Foresight = (post: Post) => void;

/** @param inLine - How many posts wait for their turn now. */
export function newForesight(
  { clock }: Ports,
  timing: Timing,
  life: Life,
  questions: Questions,
  inLine: () => number,
): Foresight {
  const together = new Map<EpochMs, Post[]>();

  async function askAt(at: EpochMs, posts: readonly Post[]): Promise<void> {
    await life.sleep(at - clock.now());
    together.delete(at);
    if (!life.stopping && inLine() < timing.postsAtOnce) questions.foresee(posts);
  }

  return (post) => {
    const at = Math.floor((post.wakeAt - timing.foresightMs) / STEP_MS) * STEP_MS;
    if (at <= clock.now()) return;
    const posts = together.get(at);
    // A burst is asked about as its turns come.
    if (posts !== undefined && posts.length >= timing.postsAtOnce) return;
    if (posts !== undefined) return void posts.push(post);
    const first = [post];
    together.set(at, first);
    void askAt(at, first);
  };
}
