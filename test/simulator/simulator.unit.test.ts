import { describe, expect, test } from "@jest/globals";
import { MUTANTS } from "./mutants.ts";
import { simulate } from "./simulation.ts";

/** A seed for each mutant that is known to catch it; more are found by `npm run simulate -- --mutants 5000`. */
const CAUGHT_BY: Readonly<Record<string, number>> = {
  "hints only: no feed is read": 2,
  "no sweep of the horizon": 5,
  "no take-over of expired leases": 1,
  "a claim does not look at the plan's revision, nor at the age of what it rests on": 1037,
  "no nonce": 1,
  "a claim does not look at the age of what it rests on": 1037,
  "the truth is not asked for at the due instant": 29,
  "a clock that runs ahead, and a claim that believes it": 1,
  "a claim takes a post that is being sent": 30,
  "a write does not look at the fence": 71,
  "an older plan overwrites a newer one": 80,
  "the feed is read without an overlap": 385,
  "a nonce is trusted for ever": 8,
  "a look-up that always says absent": 21,
  "the deadline is not looked at": 2,
  "what nobody knows is taken for undelivered": 41,
};

describe("dispatch in the simulator", () => {
  test("the promise is kept in a hundred runs", async () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const { violations } = await simulate(seed);
      expect({ seed, violations }).toEqual({ seed, violations: [] });
    }
  });

  test("one seed is one run", async () => {
    const [one, again] = [await simulate(7), await simulate(7)];
    expect(one.story()).toEqual(again.story());
    expect(one.story().length).toBeGreaterThan(5);
  });

  test("every mutant has a seed that catches it", () => {
    expect(Object.keys(CAUGHT_BY)).toEqual(Object.keys(MUTANTS));
  });

  test.each(Object.entries(MUTANTS))("without a protection the promise breaks: %s", async (name, mutant) => {
    const seed = CAUGHT_BY[name] ?? 0;
    expect((await simulate(seed, mutant)).violations).not.toEqual([]);
    expect((await simulate(seed)).violations).toEqual([]);
  });
});
