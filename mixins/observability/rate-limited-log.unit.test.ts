import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { RateLimitedLog } from "./rate-limited-log.ts";

describe("a rate-limited log", () => {
  let lines: (readonly [fields: object, text: string])[] = [];
  let log = new RateLimitedLog(() => undefined);
  const note = (what: string, times: number) => {
    for (let time = 1; time <= times; time += 1) log.note(what, { time }, `about ${what}`);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    lines = [];
    log = new RateLimitedLog((...line) => void lines.push(line), { lines: 2, windowMs: 1_000 });
  });
  afterEach(() => void jest.useRealTimers());

  test("writes a limited number of lines in a window, and the number of suppressed lines at its end", () => {
    note("x", 5);
    expect(lines).toEqual([
      [{ time: 1 }, "about x"],
      [{ time: 2 }, "about x"],
    ]);
    lines = [];
    jest.advanceTimersByTime(1_000);
    expect(lines).toEqual([[{ key: "x", suppressed: 3 }, "about x: 3 more lines were suppressed"]]);
    lines = [];
    note("x", 2);
    jest.advanceTimersByTime(5_000);
    expect(lines).toHaveLength(2);
  });

  test("counts the lines of each key separately", () => {
    note("x", 3);
    note("y", 1);
    expect(lines.map(([, text]) => text)).toEqual(["about x", "about x", "about y"]);
  });

  test("reports the suppressed lines once when it is flushed", () => {
    note("x", 4);
    lines = [];
    log.flush();
    log.flush();
    jest.advanceTimersByTime(5_000);
    expect(lines).toEqual([[{ key: "x", suppressed: 2 }, "about x: 2 more lines were suppressed"]]);
  });
});
