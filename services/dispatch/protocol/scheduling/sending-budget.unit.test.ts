import { describe, expect, test } from "@jest/globals";
import { newSendingBudget } from "./sending-budget.ts";

describe("the sending budget of a sink", () => {
  test("lets as many posts start as may send, and the next one a second after the first send", () => {
    const budget = newSendingBudget(() => 2);
    for (const id of ["a", "b"]) budget.reserve(id);
    expect(budget.waitMs(0)).toBe(Infinity);
    budget.spend("a", 100);
    budget.spend("b", 300);
    expect([budget.waitMs(300), budget.waitMs(1_099), budget.waitMs(1_100)]).toEqual([800, 1, 0]);
  });

  test("is not used by a post that ends without sending", () => {
    const budget = newSendingBudget(() => 1);
    budget.reserve("a");
    budget.release("a");
    expect(budget.waitMs(0)).toBe(0);
  });

  test("lets a further part wait for reserved and sent requests, and go before posts that start", () => {
    const budget = newSendingBudget(() => 2);
    budget.reserve("a");
    budget.spend("a", 0);
    budget.reserve("b");
    expect(budget.nextPartWaitMs("a", 10)).toBe(990);
    budget.release("b");
    expect(budget.waitMs(10)).toBe(990);
    expect(budget.nextPartWaitMs("a", 10)).toBe(0);
    budget.spend("a", 10);
    expect([budget.waitMs(1_000), budget.nextPartWaitMs("a", 1_000)]).toEqual([0, 0]);
  });

  test("counts every part", () => {
    const budget = newSendingBudget(() => 3);
    budget.reserve("a");
    for (const at of [0, 1, 2]) budget.spend("a", at);
    expect(budget.waitMs(2)).toBe(998);
  });

  test("follows a smaller number at once", () => {
    let perSecond = 4;
    const budget = newSendingBudget(() => perSecond);
    for (const at of [0, 100, 200]) budget.spend("a", at);
    expect(budget.waitMs(200)).toBe(0);
    perSecond = 2;
    expect([budget.waitMs(200) > 0, budget.waitMs(1_099) > 0, budget.waitMs(1_100)]).toEqual([true, true, 0]);
  });
});
