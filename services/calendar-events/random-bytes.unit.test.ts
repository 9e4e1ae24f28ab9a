import { describe, expect, test } from "@jest/globals";
import { randomBytesOf } from "./random-bytes.ts";

describe("random bytes", () => {
  test("are others each time, also when a drawing is used up, and of every value", () => {
    const random = randomBytesOf(15);
    const all = Array.from({ length: 1_000 }, () => Buffer.from(random()));
    expect(all.every(({ length }) => length === 15)).toBe(true);
    expect(new Set(all.map((bytes) => bytes.toString("hex"))).size).toBe(1_000);
    expect(new Set(Buffer.concat(all)).size).toBe(256);
  });
});
