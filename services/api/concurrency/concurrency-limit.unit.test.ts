import { describe, expect, test } from "@jest/globals";
import { until } from "../../../test/harness/until.ts";
import { isRefusal } from "../../contracts/errors.ts";
import {
  type ConcurrencySlot,
  ConcurrencyLimit,
  LISTS_PER_GUILD,
  OTHER_REQUESTS_PER_GUILD,
} from "./concurrency-limit.ts";

/** Acquires a slot several times, and collects the granted ones. */
function enter(slots: ConcurrencyLimit, times: number, name = "1") {
  const inside: ConcurrencySlot[] = [];
  let refused = 0;
  for (let at = 0; at < times; at += 1) {
    void slots.acquire(name).then((slot) => (isRefusal(slot) ? (refused += 1) : inside.push(slot)));
  }
  return { inside, refused: () => refused };
}

/** Releases all slots, and those that are granted after them, so that no request waits. */
async function leave(inside: readonly ConcurrencySlot[]): Promise<void> {
  for (const slot of inside) {
    slot.release();
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("concurrent requests of a guild", () => {
  test("are at most two; further ones wait, and those of other guilds do not", async () => {
    const slots = new ConcurrencyLimit(OTHER_REQUESTS_PER_GUILD);
    const { inside } = enter(slots, 10);
    await settled();
    expect(inside).toHaveLength(2);
    const other = enter(slots, 1, "2");
    await settled();
    expect(other.inside).toHaveLength(1);
    inside[0]!.release();
    inside[0]!.release();
    await settled();
    expect(inside).toHaveLength(3);
    await leave(inside);
  });

  test("count as large after a quarter of a second if they are lists, and never otherwise", async () => {
    let now = 0;
    const lists = enter(new ConcurrencyLimit(LISTS_PER_GUILD, () => now), 20).inside;
    const others = enter(new ConcurrencyLimit(OTHER_REQUESTS_PER_GUILD, () => now), 20).inside;
    await settled();
    now = 249;
    lists[0]!.release();
    await settled();
    expect(lists).toHaveLength(3);
    now = 499;
    for (const slot of [...lists.slice(1, 3), ...others.slice(0, 2)]) slot.release();
    await settled();
    expect(others).toHaveLength(4);
    expect(lists).toHaveLength(3);
    await until(() => lists.length > 3, "the rest after a large one is over");
    await settled();
    expect(lists).toHaveLength(4);
    await leave(others);
    now = 20_000;
    for (const slot of lists) slot.release();
  });

  test("are not slow by the time before the attempt that responded, but by the duration of that attempt", async () => {
    let now = 0;
    const slots = new ConcurrencyLimit(LISTS_PER_GUILD, () => now);
    const { inside } = enter(slots, 20);
    await settled();
    inside[0]!.discount(800);
    now = 800 + 249;
    inside[0]!.release();
    await settled();
    expect(inside).toHaveLength(3);
    inside[1]!.discount(800);
    now += 800 + 250;
    inside[1]!.release();
    await settled();
    expect(inside).toHaveLength(3);
    now += 20_000;
    await leave(inside);
  });

  test("are only one after a large response, until ten seconds have passed without a large one", async () => {
    let now = 0;
    const slots = new ConcurrencyLimit({ ...LISTS_PER_GUILD, slowMs: Infinity }, () => now);
    const first = enter(slots, 1);
    await settled();
    first.inside[0]!.markLarge();
    const next = enter(slots, 3);
    await settled();
    expect(next.inside).toHaveLength(0);
    first.inside[0]!.release();
    await settled();
    expect(next.inside).toHaveLength(1);
    now = 10_000;
    next.inside[0]!.release();
    await settled();
    expect(next.inside).toHaveLength(3);
    for (const slot of next.inside) slot.release();
    expect(slots.size).toBe(0);
  });

  test("wait after a large response for three times its duration, and those of other guilds do not", async () => {
    let now = 0;
    const slots = new ConcurrencyLimit(LISTS_PER_GUILD, () => now);
    const { inside } = enter(slots, 1);
    await settled();
    inside[0]!.markLarge();
    const next = enter(slots, 1);
    now = 20;
    const leftAt = performance.now();
    inside[0]!.release();
    await settled();
    expect([next.inside.length, enter(slots, 1, "2").refused()]).toEqual([0, 0]);
    await until(() => next.inside.length === 1, "the next of the guild");
    // A timer may be a millisecond early.
    expect(performance.now() - leftAt).toBeGreaterThanOrEqual(59);
  });

  test("are one list at first, and one more after each small response, up to eight", async () => {
    const slots = new ConcurrencyLimit(LISTS_PER_GUILD);
    const { inside } = enter(slots, 40);
    const counts: number[] = [];
    for (let left = 0; left < 10; left += 1) {
      await settled();
      counts.push(inside.length - left);
      inside[left]!.release();
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 8]);
    await leave(inside);
  });

  test("are refused at once if 64 lists are waiting", async () => {
    const slots = new ConcurrencyLimit(LISTS_PER_GUILD);
    const { inside, refused } = enter(slots, 1 + 64 + 3);
    await settled();
    expect([inside.length, refused()]).toEqual([1, 3]);
    for (let left = 0; left < inside.length; left += 1) {
      inside[left]!.release();
      await settled();
    }
    expect([inside.length, slots.size]).toEqual([65, 0]);
  });
});
