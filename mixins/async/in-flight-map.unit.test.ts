import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { InFlightMap } from "./in-flight-map.ts";

describe("a map for operations in flight", () => {
  let calls: InFlightMap<string, number>;

  beforeEach(() => {
    calls = new InFlightMap();
    calls.set("a", 1);
    calls.set("b", 2);
  });

  test("has the value that was set last, until it is deleted", () => {
    calls.set("a", 3);
    expect([calls.get("a"), calls.get("b"), calls.get("c"), calls.size]).toEqual([3, 2, undefined, 2]);
    expect([calls.delete("a"), calls.delete("a"), calls.get("a"), calls.size]).toEqual([true, false, undefined, 1]);
  });

  test("is visited in insertion order, without entries that are deleted during the visit", () => {
    const visited: [string, number][] = [];
    calls.set("c", 3);
    calls.forEach((value, key) => {
      visited.push([key, value]);
      calls.delete("b");
    });
    expect(visited).toEqual([
      ["a", 1],
      ["c", 3],
    ]);
  });
});

describe("a deleted value, after the tables of the map are in the old generation", () => {
  const ROUNDS = 10_000;
  const UNDER_WAY = 16;
  const SLOTS = 100;
  /** Bytes of all values that were set and deleted. */
  const TOTAL_BYTES = ROUNDS * SLOTS * 8;

  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: { type: "minor" }) => void;

  /** Bytes of deleted values that minor collections left in memory. */
  function retainedBytes(map: Pick<InFlightMap<number, unknown>, "set" | "delete">): number {
    const pass = (from: number) => {
      for (let at = from; at < from + ROUNDS; at += 1) {
        map.set(
          at,
          Array.from({ length: SLOTS }, () => at),
        );
        map.delete(at - UNDER_WAY);
        if (at % 50 === 0) collect({ type: "minor" });
      }
    };
    pass(0);
    collect();
    const before = process.memoryUsage().heapUsed;
    pass(ROUNDS);
    return process.memoryUsage().heapUsed - before;
  }

  test("is collected from an InFlightMap", () => {
    expect(retainedBytes(new InFlightMap())).toBeLessThan(TOTAL_BYTES / 3);
  });

  test("is not collected from a Map, which is the reason for InFlightMap", () => {
    expect(retainedBytes(new Map())).toBeGreaterThan(TOTAL_BYTES / 2);
  });
});
