import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { LogLimit } from "./log-limit.ts";

describe("the limit on log lines", () => {
  const leftOut: number[] = [];
  let lines = 0;
  let limit = new LogLimit({ linesPerSecond: 3, onLeftOut: (count) => leftOut.push(count) });
  const write = (times: number) => {
    for (let time = 0; time < times; time += 1) limit.line(() => (lines += 1));
  };

  beforeEach(() => {
    jest.useFakeTimers();
    leftOut.length = 0;
    lines = 0;
    limit = new LogLimit({ linesPerSecond: 3, onLeftOut: (count) => leftOut.push(count) });
  });
  afterEach(() => void jest.useRealTimers());

  test("writes so many lines a second, and tells once how many it left out", () => {
    write(10);
    expect([lines, leftOut]).toEqual([3, []]);
    jest.advanceTimersByTime(1_000);
    expect(leftOut).toEqual([7]);
    write(2);
    jest.advanceTimersByTime(5_000);
    expect([lines, leftOut]).toEqual([5, [7]]);
  });

  test("tells what it has left out when it is ended before the second is over", () => {
    write(4);
    limit.end();
    limit.end();
    expect(leftOut).toEqual([1]);
    write(1);
    expect(lines).toBe(4);
  });
});
