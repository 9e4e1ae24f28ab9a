import { describe, expect, test } from "@jest/globals";
import { monotonicInstantOf, newDatabaseClock } from "./database-clock.ts";

/** A server whose clock is ahead of the clock of the process, with a delay of its responses. */
function serverAhead({ ahead }: { ahead: number }) {
  const at = { monotonic: 1_000, ahead };
  const takes = { there: 0, back: 0 };
  const readServer = () => {
    at.monotonic += takes.there;
    const time = at.monotonic + at.ahead;
    at.monotonic += takes.back;
    return Promise.resolve(time);
  };
  return { at, takes, readServer };
}

/** The clock of such a server, mapped to the monotonic clock. */
function clockAhead(options: { ahead: number }) {
  const { at, takes, readServer } = serverAhead(options);
  const clock = newDatabaseClock(readServer, () => at.monotonic);
  const sample = (there: number, back: number) => {
    Object.assign(takes, { there, back });
    return clock.sample();
  };
  return { at, clock, sample, lag: () => at.monotonic + at.ahead - clock.now() };
}

describe("the clock of the database server, mapped to the monotonic clock", () => {
  test("never runs ahead of the server, and lags by no more than the response took", async () => {
    const { sample, lag } = clockAhead({ ahead: 5_000_000 });
    await sample(3, 40);
    expect(lag()).toBe(40);
  });

  test("follows the fastest of the last responses", async () => {
    const { sample, lag } = clockAhead({ ahead: 5_000_000 });
    await sample(1, 40);
    await sample(1, 2);
    await sample(1, 900);
    expect(lag()).toBe(2);
  });

  test("goes on between samples", async () => {
    const { at, clock, sample } = clockAhead({ ahead: 5_000_000 });
    await sample(0, 0);
    const before = clock.now();
    at.monotonic += 1_234;
    expect(clock.now() - before).toBe(1_234);
  });

  test("a step of the server's own clock back is followed at the next sample", async () => {
    const { at, sample, lag } = clockAhead({ ahead: 5_000_000 });
    await sample(0, 1);
    for (const step of [3_600_000, 150]) {
      at.ahead -= step;
      await sample(0, 1);
      expect(lag()).toBe(1);
    }
  });

  test("a slow response is not mistaken for a step of the server's clock", async () => {
    const { sample, lag } = clockAhead({ ahead: 5_000_000 });
    await sample(0, 1);
    await sample(0, 4_000);
    expect(lag()).toBe(1);
  });

  test("reaches a time no earlier than the computed instant, and later by no more than the request took", async () => {
    const { readServer, at, takes } = serverAhead({ ahead: 5_000_000 });
    for (const [there, back] of [
      [0, 0],
      [3, 40],
      [900, 1],
    ] as const) {
      Object.assign(takes, { there, back });
      const instant = await monotonicInstantOf(5_010_000, readServer, () => at.monotonic);
      expect(10_000 - instant).toBe(there);
    }
  });

  test("throws when it is read before its first sample", () => {
    expect(() => clockAhead({ ahead: 0 }).clock.now()).toThrow("before its first sample");
  });
});
