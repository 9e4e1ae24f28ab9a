import { describe, expect, test } from "@jest/globals";
import type { Post } from "../../domain/post/post.ts";
import type { StateReader } from "./state-reader.ts";
import { newPrefetch } from "./prefetch.ts";
import { maxInWorkOfGuild } from "./sink-queue.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";

const NOW = 1_000_000;
const { prefetchMs, maxPostsInWork } = STANDARD_TIMING;

/** Prefetches posts that are due at an instant, and lets all time pass; returns the batches. */
async function batchesOf({
  posts = 3,
  guilds = Infinity,
  dueAt = NOW + 1_000,
  waiting = 0,
}): Promise<readonly { ms: number; ids: string[] }[]> {
  const batches: string[][] = [];
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
  const prefetch = newPrefetch(
    ports,
    STANDARD_TIMING,
    newLifecycle(ports),
    { prefetch: (some: readonly Post[]) => batches.push(some.map(({ id }) => id)) } as unknown as StateReader,
    () => waiting,
  );
  for (let at = 0; at < posts; at += 1) {
    prefetch({ id: `p${at}`, guildId: String(at % guilds), wakeAt: dueAt } as Post);
  }
  for (const { wake } of sleeps) wake();
  await new Promise((resolve) => setImmediate(resolve));
  return batches.map((ids, at) => ({ ms: sleeps[at]?.ms ?? NaN, ids }));
}

describe("the prefetch of current state", () => {
  test("reads posts that are due at the same time as one batch, shortly before", async () => {
    expect(await batchesOf({})).toEqual([{ ms: 1_000 - prefetchMs, ids: ["p0", "p1", "p2"] }]);
  });

  test("reads no more posts than can be in work", async () => {
    expect((await batchesOf({ posts: maxPostsInWork + 1 })).map(({ ids }) => ids.length)).toEqual([maxPostsInWork]);
  });

  test("reads no more posts of one guild than the guild can have in work", async () => {
    expect((await batchesOf({ posts: maxPostsInWork, guilds: 2 })).map(({ ids }) => ids.length)).toEqual([
      2 * maxInWorkOfGuild(maxPostsInWork),
    ]);
  });

  test("leaves out posts that are due before the owners could respond", async () => {
    expect(await batchesOf({ dueAt: NOW + prefetchMs })).toEqual([]);
  });

  test("leaves out posts that would wait for their turn, because their state would be too old", async () => {
    expect(await batchesOf({ waiting: maxPostsInWork - 1 })).toHaveLength(1);
    expect(await batchesOf({ waiting: maxPostsInWork })).toEqual([]);
  });
});
