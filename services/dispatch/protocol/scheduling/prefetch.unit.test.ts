import { describe, expect, test } from "@jest/globals";
import type { Post } from "../../domain/post/post.ts";
import type { StateReader } from "./state-reader.ts";
import { newPrefetch } from "./prefetch.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";

const NOW = 1_000_000;
const { prefetchMs, maxPostsInWork } = STANDARD_TIMING;

/** Asks for so many posts that are due at an instant, and lets all time pass. */
async function asked({
  posts = 3,
  dueAt = NOW + 1_000,
  inLine = 0,
}): Promise<readonly { ms: number; ids: string[] }[]> {
  const questions: string[][] = [];
  const sleeps: { readonly ms: number; readonly wake: () => void }[] = [];
  const ports = {
    clock: { now: () => NOW },
    timers: {
      after(ms: number, wake: () => void) {
        sleeps.push({ ms, wake });
        return () => undefined;
      },
    },
  } as unknown as Ports;
  const foresee = newPrefetch(
    ports,
    STANDARD_TIMING,
    newLifecycle(ports),
    { prefetch: (about: readonly Post[]) => questions.push(about.map(({ id }) => id)) } as unknown as StateReader,
    () => inLine,
  );
  for (let at = 0; at < posts; at += 1) foresee({ id: `p${at}`, wakeAt: dueAt } as Post);
  for (const { wake } of sleeps) wake();
  await new Promise((resolve) => setImmediate(resolve));
  return questions.map((ids, at) => ({ ms: sleeps[at]?.ms ?? NaN, ids }));
}

describe("foresight", () => {
  test("posts of a moment are asked about together, shortly before they are due", async () => {
    expect(await asked({})).toEqual([{ ms: 1_000 - prefetchMs, ids: ["p0", "p1", "p2"] }]);
  });

  test("no more than can be in work at once", async () => {
    expect((await asked({ posts: maxPostsInWork + 1 })).map(({ ids }) => ids.length)).toEqual([maxPostsInWork]);
  });

  test("what is due before the owners could be asked is left to its turn", async () => {
    expect(await asked({ dueAt: NOW + prefetchMs })).toEqual([]);
  });

  test("so is what would wait for its turn: the answer would be too old by then", async () => {
    expect(await asked({ inLine: maxPostsInWork - 1 })).toHaveLength(1);
    expect(await asked({ inLine: maxPostsInWork })).toEqual([]);
  });
});
