import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { PacedTurns } from "./paced-turns.ts";

const OPTIONS = { maxWaiting: 2, maxWaitMs: 1_000, restFactor: 3, maxRestMs: 250 };

describe("paced turns", () => {
  const time = { now: 0 };
  beforeEach(() => {
    time.now = 0;
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function setUp() {
    const turns = new PacedTurns({ ...OPTIONS, clock: () => time.now });
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (name: string, isHeavy = true) =>
      turns.run(
        () => {
          started.push(name);
          return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
        },
        () => isHeavy,
      );
    const end = async (name: string, afterMs: number) => {
      time.now += afterMs;
      ends.get(name)?.();
      await jest.advanceTimersByTimeAsync(0);
    };
    return { turns, started, run, end };
  }

  test("run work one after the other, and pause for three times its duration after heavy work", async () => {
    const { turns, started, run, end } = setUp();
    const first = run("first");
    const second = run("second", false);
    const third = run("third");
    expect(started).toEqual(["first"]);
    await end("first", 20);
    await jest.advanceTimersByTimeAsync(59);
    expect(started).toEqual(["first"]);
    await jest.advanceTimersByTimeAsync(1);
    expect(started).toEqual(["first", "second"]);
    await end("second", 20);
    expect(started).toEqual(["first", "second", "third"]);
    await end("third", 1_000);
    expect(await Promise.all([first, second, third])).toEqual(["first", "second", "third"]);
    await jest.advanceTimersByTimeAsync(249);
    expect(turns.isIdle).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(turns.isIdle).toBe(true);
  });

  test("give no turn beyond the queue, or after its longest wait", async () => {
    const { turns, started, run, end } = setUp();
    const first = run("first");
    const waiting = [run("second"), run("third")];
    expect(await run("fourth")).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    await end("first", 1);
    expect(await first).toBe("first");
    await jest.advanceTimersByTimeAsync(3);
    expect([started, turns.isIdle]).toEqual([["first"], true]);
  });

  test("go on after work that fails", async () => {
    const { turns, started, run } = setUp();
    await expect(turns.run(() => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    void run("next");
    expect(started).toEqual(["next"]);
  });
});
