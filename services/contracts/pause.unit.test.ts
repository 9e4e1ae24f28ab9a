import { describe, expect, test } from "@jest/globals";
import { changedPause, pauseEnd, pauseEndedBy } from "./pause.ts";

const NOW = 1_000;

describe("a pause (D62)", () => {
  test("ends at the later of its end and of what earlier pauses have reached", () => {
    expect(pauseEnd({})).toBeUndefined();
    expect(pauseEnd({ pausedUntil: 5 })).toBe(5);
    expect(pauseEnd({ pauseEndedAt: 6 })).toBe(6);
    expect(pauseEnd({ pausedUntil: 5, pauseEndedAt: 6 })).toBe(6);
    expect(pauseEnd({ pausedUntil: 7, pauseEndedAt: 6 })).toBe(7);
  });

  test("is kept by a change without it, replaced by another instant, and removed by null", () => {
    const stored = { pausedUntil: 5, pauseEndedAt: 4 };
    expect(changedPause(stored, undefined)).toEqual(stored);
    expect(changedPause(stored, 9)).toEqual({ pausedUntil: 9, pauseEndedAt: 4 });
    expect(changedPause(stored, null)).toStrictEqual({ pauseEndedAt: 4 });
  });

  test("has reached the time of the write, or its end if that is earlier", () => {
    expect(pauseEndedBy({ pausedUntil: 5_000 }, NOW)).toEqual({ pauseEndedAt: NOW });
    expect(pauseEndedBy({ pausedUntil: 500 }, NOW)).toEqual({ pauseEndedAt: 500 });
  });

  test("has never reached less than at an earlier write", () => {
    expect(pauseEndedBy({ pausedUntil: 500, pauseEndedAt: 800 }, NOW)).toEqual({ pauseEndedAt: 800 });
    expect(pauseEndedBy({ pauseEndedAt: 800 }, NOW)).toEqual({ pauseEndedAt: 800 });
    expect(pauseEndedBy({}, NOW)).toStrictEqual({});
  });
});
