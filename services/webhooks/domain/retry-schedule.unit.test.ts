import { describe, expect, test } from "@jest/globals";
import { nextAttemptAt, RETRY_MS } from "./retry-schedule.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;
const firstAttemptAt = 1_795_287_600_000;
const MIDDLE = 0.5;

/** The times of all attempts of a delivery that always fails, from the first. */
function attemptsOf(random: number, takesMs = 0): number[] {
  const times = [0];
  for (let attempts = 1; ; attempts += 1) {
    const now = firstAttemptAt + times.at(-1)! + takesMs;
    const next = nextAttemptAt({ attempts, firstAttemptAt }, now, random);
    if (next === undefined) return times;
    times.push(next - firstAttemptAt);
  }
}

describe("a delivery that fails", () => {
  test("is sent again after growing waits, and the last time three days after the first attempt", () => {
    const seconds = attemptsOf(MIDDLE).map((ms) => ms / SECOND);
    const waits = seconds.slice(1).map((at, index) => at - seconds[index]!);
    expect(waits.slice(0, 9)).toEqual([5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800]);
    expect(waits.slice(9, -1).every((wait) => wait === 28_800)).toBe(true);
    expect(seconds.at(-1)).toBe(RETRY_MS / SECOND);
  });

  test("waits a fifth more or less, so that deliveries that failed together do not return together", () => {
    const at = (random: number) => nextAttemptAt({ attempts: 6, firstAttemptAt }, firstAttemptAt, random);
    expect([at(0), at(MIDDLE), at(1)].map((time) => time! - firstAttemptAt)).toEqual([0.8 * HOUR, HOUR, 1.2 * HOUR]);
  });

  test("has an end however long its attempts take", () => {
    expect(attemptsOf(0, 10 * SECOND).at(-1)).toBe(RETRY_MS);
  });

  test("has no attempt after the one at its end", () => {
    const at = (now: number) => nextAttemptAt({ attempts: 1, firstAttemptAt }, now, MIDDLE);
    const end = firstAttemptAt + RETRY_MS;
    expect([at(end - 1), at(end)]).toEqual([end, undefined]);
  });

  test("is not sent before the time that the receiver requires", () => {
    const failed = { attempts: 1, firstAttemptAt, retryAfterMs: HOUR };
    expect(nextAttemptAt(failed, firstAttemptAt, MIDDLE)).toBe(firstAttemptAt + HOUR);
    expect(nextAttemptAt({ ...failed, retryAfterMs: 1 }, firstAttemptAt, MIDDLE)).toBe(firstAttemptAt + 5 * SECOND);
  });
});
