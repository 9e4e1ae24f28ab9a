import { describe, expect, test } from "@jest/globals";
import {
  ATTEMPTS_PER_MINUTE,
  freeAttempts,
  isProbing,
  MIN_PAUSE_MS,
  newDeliveryQueue,
  nextVisit,
  withAttempts,
  withOutcome,
  withSlowResponse,
} from "./delivery-queue.ts";

const NOW = 1_795_287_600_000;
const MINUTE = 60_000;
const queue = newDeliveryQueue(NOW);
const END = { hasChanges: false, isHeldBack: false, isUnfinished: false, attemptsAt: [] };
const MIDDLE = 0.5;

function failing(times: number, now = NOW) {
  let after = queue;
  for (let count = 0; count < times; count += 1) after = withOutcome(after, false, now);
  return after;
}

describe("a webhook", () => {
  test("gets four requests at once, and at most 600 in a minute", () => {
    expect(freeAttempts(queue, NOW)).toBe(4);
    const busy = withAttempts(withAttempts(queue, 1, NOW), ATTEMPTS_PER_MINUTE - 3, NOW + 1_000);
    expect(freeAttempts(busy, NOW + 2_000)).toBe(2);
    const spent = withAttempts(busy, 2, NOW + 2_000);
    expect([freeAttempts(spent, NOW + MINUTE - 1), freeAttempts(spent, NOW + MINUTE)]).toEqual([0, 4]);
    expect(nextVisit(spent, { ...END, hasChanges: true, attemptsAt: [NOW] }, NOW + 50_000, MIDDLE).wakeAt).toBe(
      NOW + MINUTE,
    );
  });

  test("whose receiver has failed three times in a row gets one request at a time, with growing pauses", () => {
    expect([isProbing(failing(2)), freeAttempts(failing(2), NOW)]).toEqual([false, 4]);
    const down = failing(3);
    expect([isProbing(down), freeAttempts(down, NOW + 4_999), freeAttempts(down, NOW + 5_000)]).toEqual([true, 0, 1]);
    expect(freeAttempts(failing(4), NOW + 9_999)).toBe(0);
    expect([freeAttempts(failing(50), NOW + 599_999), freeAttempts(failing(50), NOW + 600_000)]).toEqual([0, 1]);
    expect(nextVisit(down, { ...END, attemptsAt: [NOW] }, NOW, MIDDLE).wakeAt).toBe(NOW + 5_000);
    expect(freeAttempts(withOutcome(failing(50), true, NOW), NOW)).toBe(4);
  });

  test("whose receiver is slow gets one request at a time, without a pause, until it is fast", () => {
    const slow = withSlowResponse(withOutcome(queue, true, NOW));
    expect([isProbing(slow), freeAttempts(slow, NOW)]).toEqual([true, 1]);
    expect(freeAttempts(withOutcome(slow, true, NOW), NOW)).toBe(4);
    const failed = withOutcome(slow, false, NOW);
    expect([freeAttempts(failed, NOW + 9_999), freeAttempts(failed, NOW + 10_000)]).toEqual([0, 1]);
    expect(withSlowResponse(failing(50))).toEqual(failing(50));
  });
});

describe("the next visit of a queue", () => {
  test("is after a pause that doubles while nothing changes, up to five minutes", () => {
    let last = queue.pauseMs;
    const pauses = Array.from({ length: 7 }, () => {
      const { wakeAt, pauseMs } = nextVisit({ ...queue, pauseMs: last }, END, NOW, MIDDLE);
      last = pauseMs;
      return (wakeAt - NOW) / 1_000;
    });
    expect(pauses).toEqual([15, 30, 60, 120, 240, 300, 300]);
    const idle = { ...queue, pauseMs: last };
    const { wakeAt, pauseMs } = nextVisit(idle, { ...END, hasChanges: true }, NOW, MIDDLE);
    expect([wakeAt - NOW, pauseMs]).toEqual([MIN_PAUSE_MS, 2 * MIN_PAUSE_MS]);
  });

  test("is at different times for queues that were visited together", () => {
    const at = (random: number) => nextVisit(queue, END, NOW, random).wakeAt - NOW;
    expect([at(0), at(1)]).toEqual([0.75 * MIN_PAUSE_MS, 1.25 * MIN_PAUSE_MS]);
  });

  test("is at the next attempt, soon if changes are held back, and at once if it has more to do", () => {
    const at = (end: object) => nextVisit(queue, { ...END, ...end }, NOW, MIDDLE).wakeAt - NOW;
    expect(at({ attemptsAt: [NOW + 9_000, NOW + 7_000] })).toBe(7_000);
    expect(at({ attemptsAt: [NOW - 1_000] })).toBe(0);
    expect(at({ isHeldBack: true })).toBe(2_000);
    expect(at({ isUnfinished: true })).toBe(0);
  });
});
