import { describe, expect, test } from "@jest/globals";
import { newSendingBudget } from "./sending-budget.ts";

describe("how many requests a second go to a sink", () => {
  test("as many posts begin as may send, and the next when the first was a second ago", () => {
    const budget = newSendingBudget(2);
    for (const id of ["a", "b"]) budget.reserve(id);
    expect(budget.waitMs(0)).toBe(Infinity);
    budget.spend("a", 100);
    budget.spend("b", 300);
    expect([budget.waitMs(300), budget.waitMs(1_099), budget.waitMs(1_100)]).toEqual([800, 1, 0]);
  });

  test("a post that ends without sending costs nothing", () => {
    const budget = newSendingBudget(1);
    budget.reserve("a");
    budget.release("a");
    expect(budget.waitMs(0)).toBe(0);
  });

  test("a further part goes before anybody begins, and waits for what is reserved and sent", () => {
    const budget = newSendingBudget(2);
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

  test("every part counts", () => {
    const budget = newSendingBudget(3);
    budget.reserve("a");
    for (const at of [0, 1, 2]) budget.spend("a", at);
    expect(budget.waitMs(2)).toBe(998);
  });
});
