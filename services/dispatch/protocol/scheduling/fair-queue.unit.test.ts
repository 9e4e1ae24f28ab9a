import { describe, expect, test } from "@jest/globals";
import { newFairQueue } from "./fair-queue.ts";

function post(guildId: string, name: string, deadline = 0) {
  return { guildId, name, deadline };
}

describe("the fair queue", () => {
  test("lets a guild with thousands of posts delay another guild by one post", () => {
    const queue = newFairQueue<ReturnType<typeof post>>();
    for (let at = 0; at < 5_000; at += 1) queue.put(post("noisy", `n${at}`), false);
    queue.put(post("quiet", "q"), false);
    expect([
      queue.takeOnTime(() => true)?.name,
      queue.takeOnTime(() => true)?.name,
      queue.takeOnTime(() => true)?.name,
    ]).toEqual(["n0", "q", "n1"]);
  });

  test("keeps the order of each guild's posts, and loses none", () => {
    const queue = newFairQueue<ReturnType<typeof post>>();
    const names = ["a1", "b1", "a2", "c1", "a3", "b2"];
    for (const name of names) queue.put(post(name.slice(0, 1), name), false);
    const taken = names.map(() => queue.takeOnTime(() => true)?.name);
    expect(taken).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
    expect(queue.takeOnTime(() => true)).toBeUndefined();
  });

  test("returns late posts separately, by deadline", () => {
    const queue = newFairQueue<ReturnType<typeof post>>();
    queue.put(post("a", "later", 20), true);
    queue.put(post("a", "sooner", 10), true);
    expect([
      queue.takeOnTime(() => true)?.name,
      queue.takeLate()?.name,
      queue.takeLate()?.name,
      queue.takeLate(),
    ]).toEqual([undefined, "sooner", "later", undefined]);
  });
});
