import { describe, expect, test } from "@jest/globals";
import { newComparisonTurns } from "./comparison-turns.ts";

describe("comparisons of plans", () => {
  test("run one at a time in a replica, and one that finds many waiting is refused with 429", async () => {
    const inTurn = newComparisonTurns();
    let running = 0;
    let most = 0;
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const compare = async () => {
      running += 1;
      most = Math.max(most, running);
      await opened;
      running -= 1;
      return "compared";
    };
    const all = Array.from({ length: 33 }, () => inTurn(compare));
    await expect(inTurn(compare)).resolves.toMatchObject({ refusal: "TOO_MANY_REQUESTS" });
    open();
    const results = await Promise.all(all);
    expect([most, new Set(results)]).toEqual([1, new Set(["compared"])]);
  });
});
