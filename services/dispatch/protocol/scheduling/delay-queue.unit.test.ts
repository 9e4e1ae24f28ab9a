import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { newDelayQueue } from "./delay-queue.ts";

describe("a delay queue", () => {
  test("returns all items in the order of their instants", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), (instants) => {
        const queue = newDelayQueue<number>();
        for (const at of instants) queue.put(at, at);
        const taken: number[] = [];
        for (let item = queue.takeBy(50); item !== undefined; item = queue.takeBy(50)) taken.push(item);
        expect(taken).toEqual(instants.toSorted((one, other) => one - other));
      }),
    );
  });

  test("returns no item before its instant", () => {
    const queue = newDelayQueue<string>();
    queue.put(10, "later");
    expect([queue.takeBy(9), queue.nextAt(), queue.takeBy(10), queue.nextAt()]).toEqual([
      undefined,
      10,
      "later",
      undefined,
    ]);
  });
});
