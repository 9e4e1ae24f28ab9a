import { describe, expect, test } from "@jest/globals";
import type { DueEntry, Priority } from "./due-entry.ts";
import { newSinkQueue, type SinkQueue } from "./sink-queue.ts";
import { newWaitRecords } from "../wait-records.ts";

const NOW = 1_000;
const NO_LIMITS = { waitMs: () => 0, isStopped: () => false, isHalfOpen: () => false };
const WAITS = newWaitRecords({ now: () => NOW }, () => []);

function entry(id: string, priority: Priority, guildId = id): DueEntry {
  return { guildId, post: { id, channel: "a", dueAt: NOW }, priority, deadline: NOW + 1 } as DueEntry;
}

/** Begins all posts that may begin, and returns their ids. */
function beginAll(queue: SinkQueue): string[] {
  const ids: string[] = [];
  for (let next = queue.next(NOW); next !== undefined; next = queue.next(NOW)) {
    queue.begin(next);
    ids.push(next.post.id);
  }
  return ids;
}

describe("the queue of a sink", () => {
  test("starts own posts, then posts of other replicas, then late posts, then steps of sent messages", () => {
    const queue = newSinkQueue({}, 10, WAITS);
    const entries = [entry("step", "step"), entry("late", "late"), entry("theirs", "others"), entry("mine", "own")];
    for (const each of entries) queue.put(each, NOW);
    expect(beginAll(queue)).toEqual(["mine", "theirs", "late", "step"]);
  });

  test("lets the steps of one guild delay neither those of another one nor late posts", () => {
    const queue = newSinkQueue({}, 96, WAITS);
    const steps = Array.from({ length: 9 }, (_, at) => entry(`step ${at}`, "step", "noisy"));
    for (const each of [...steps, entry("quiet step", "step"), entry("late", "late")]) queue.put(each, NOW);
    expect(beginAll(queue)).toEqual(["late", "step 0", "quiet step", "step 1", "step 2"]);
    queue.end(steps[1]!, NOW);
    expect(beginAll(queue)).toEqual(["step 3"]);
  });

  test("starts own posts before those of other replicas in the same channel", () => {
    const queue = newSinkQueue({ channelLimits: NO_LIMITS }, 1, WAITS);
    const [first, theirs, mine] = [entry("first", "own"), entry("theirs", "others"), entry("mine", "own")];
    for (const each of [first, theirs, mine]) queue.put(each, NOW);
    expect(beginAll(queue)).toEqual(["first"]);
    queue.end(first, NOW);
    expect(beginAll(queue)).toEqual(["mine"]);
    queue.end(mine, NOW);
    expect(beginAll(queue)).toEqual(["theirs"]);
  });

  test.each(["others", "late", "step"] as const)(
    "has at most a fifth of its posts in work of priority %s",
    (priority) => {
      const queue = newSinkQueue({}, 10, WAITS);
      for (let at = 0; at < 9; at += 1) queue.put(entry(`post ${at}`, priority), NOW);
      queue.put(entry("mine", "own"), NOW);
      const [first, ...more] = beginAll(queue);
      expect([first, more.length]).toEqual(["mine", 2]);
    },
  );

  test("has at most a thirty-second of its posts in work of one guild, and starts those of others meanwhile", () => {
    const queue = newSinkQueue({}, 96, WAITS);
    const noisy = Array.from({ length: 9 }, (_, at) => entry(`noisy ${at}`, at % 2 === 0 ? "own" : "others", "noisy"));
    for (const each of [...noisy, entry("quiet", "own")]) queue.put(each, NOW);
    expect(beginAll(queue)).toEqual(["noisy 0", "quiet", "noisy 2", "noisy 4"]);
    queue.end(noisy[2]!, NOW);
    expect(beginAll(queue)).toEqual(["noisy 6"]);
  });

  test("counts late posts and steps of a guild apart from its posts on time", () => {
    const queue = newSinkQueue({}, 160, WAITS);
    for (let at = 0; at < 8; at += 1) queue.put(entry(`late ${at}`, "late", "1"), NOW);
    for (let at = 0; at < 8; at += 1) queue.put(entry(`step ${at}`, "step", "1"), NOW);
    expect(beginAll(queue)).toHaveLength(13);
    for (let at = 0; at < 8; at += 1) queue.put(entry(`on time ${at}`, "own", "1"), NOW);
    expect(beginAll(queue)).toHaveLength(5);
  });

  test("lets a further part wait for the budget, and starts no post before it", () => {
    const queue = newSinkQueue({ requestsPerSecond: () => 1 }, 10, WAITS);
    for (const each of [entry("first", "own"), entry("next", "own")]) queue.put(each, NOW);
    expect(beginAll(queue)).toEqual(["first"]);
    queue.spend("first", NOW);
    expect(queue.nextPartWaitMs("first", NOW + 100)).toBe(900);
    expect([beginAll(queue), queue.nextOpenAt(NOW)]).toEqual([[], NOW + 1_000]);
  });

  test("records how long a post waited for the budget and for other posts", () => {
    const waits = newWaitRecords({ now: () => NOW }, () => []);
    const queue = newSinkQueue({ requestsPerSecond: () => 1 }, 1, waits);
    const [first, next] = [entry("first", "own"), entry("next", "own")];
    for (const each of [first, next]) queue.put(each, NOW);
    expect(beginAll(queue)).toEqual(["first"]);
    queue.spend("first", NOW);
    expect(queue.next(NOW)).toBeUndefined();
    expect(queue.next(NOW + 1_000)).toBeUndefined();
    queue.end(first, NOW + 4_000);
    expect(queue.next(NOW + 4_000)).toBe(next);
    expect(waits.totals(next.post).waits.map(({ cause, ms }) => [cause, ms])).toEqual([
      ["SINK_QUEUE", 3_000],
      ["SINK_BUDGET", 1_000],
    ]);
  });
});
