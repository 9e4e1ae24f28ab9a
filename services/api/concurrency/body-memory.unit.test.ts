import { describe, expect, test } from "@jest/globals";
import { isRefusal } from "../../contracts/errors.ts";
import { BodyMemory } from "./body-memory.ts";

const LARGEST = 65_536;

/** Reserves memory for several bodies of one guild; the result has a function to release each that was not refused. */
function reserve(memory: BodyMemory, times: number, bytes: number, guild = "1"): (() => void)[] {
  const reservations = Array.from({ length: times }, () => memory.reserve(guild, bytes));
  return reservations.flatMap((each) => (isRefusal(each) ? [] : [each]));
}

describe("the memory of request bodies", () => {
  test("is 4 MiB for one guild, and further bodies are refused with 429", () => {
    const memory = new BodyMemory();
    const releases = reserve(memory, 100, LARGEST);
    expect(releases).toHaveLength(64);
    expect(memory.reserve("1", LARGEST)).toMatchObject({ refusal: "TOO_MANY_REQUESTS" });
    releases[0]!();
    expect(reserve(memory, 2, LARGEST)).toHaveLength(1);
  });

  test("of a guild is a quarter of the free memory, so that twenty guilds leave room for the largest body of another", () => {
    const memory = new BodyMemory();
    const reservations = Array.from({ length: 20 }, (_, at) => reserve(memory, 100, LARGEST, `${at}`));
    const numbers = reservations.map(({ length }) => length);
    expect(numbers.slice(0, 5)).toEqual([64, 64, 64, 64, 51]);
    expect(numbers.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(512);
    expect(reserve(memory, 1, LARGEST, "another")).toHaveLength(1);
    for (const release of reservations.flat()) release();
    expect(reserve(memory, 100, LARGEST, "a third")).toHaveLength(64);
  });

  test("is 32 MiB for all guilds", () => {
    const memory = new BodyMemory();
    const bodies = Array.from({ length: 1_000 }, (_, at) => reserve(memory, 1, LARGEST, `${at}`)).flat();
    expect(bodies.length).toBeGreaterThan(500);
    expect(bodies.length).toBeLessThan(512);
  });

  test("has room for small bodies even if large bodies of others fill it", () => {
    const memory = new BodyMemory();
    for (let at = 0; at < 1_000; at += 1) reserve(memory, 100, LARGEST, `${at}`);
    expect(reserve(memory, 1_000, 4_096, "1")).toHaveLength(1_000);
    expect(reserve(memory, 1, LARGEST, "another")).toHaveLength(0);
  });
});
