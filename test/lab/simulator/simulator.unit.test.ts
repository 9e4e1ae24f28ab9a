import { describe, expect, test } from "@jest/globals";
import { MUTANTS } from "./mutants.ts";
import { simulate } from "./simulation.ts";

/** For each mutant a seed that is known to catch it, and what it is caught at. */
const CAUGHT_BY: Readonly<Record<string, readonly [seed: number, says: string]>> = {
  "hints only: no feed is read": [5, "was not planned by"],
  "no sweep of the horizon": [19, "nothing says what became of it"],
  "no take-over of expired leases": [1, "still sending at the end"],
  "a claim ignores the plan revision": [6353, "posted against a change"],
  "no nonce": [1, "posted twice"],
  "a claim ignores the age of the current state": [1195, "posted against a change"],
  "the current state is not read at the due instant": [85, "posted against a change"],
  "a clock that runs ahead, and a claim that believes it": [3, " early"],
  "a claim takes a post that is being sent": [18, "claimed while another held it"],
  "a write ignores the fence": [102, "a stale write"],
  "an older plan overwrites a newer one": [24, "an older plan"],
  "the feed is read without an overlap": [69, "was not planned by"],
  "a nonce is trusted for ever": [40, "posted twice"],
  "a lookup always answers absent": [84, "posted twice"],
  "the deadline is ignored": [1092, "sent after its deadline"],
  "what nobody knows is taken for undelivered": [1, "and said to be"],
  "a process goes by its own wall clock": [1, "at the end"],
  "an orderly stop waits for nothing": [4995, "left in flight"],
  "what only an operator can mend fails the post": [183, "though nobody had refused it"],
  "a circuit does not stay open": [252, "its sink was halted"],
  "what a channel refuses for good suspends nothing": [176, "was suspended"],
  "an update does not lift a suspension": [506, "a suspension that is none"],
  "a refusal counts as certain after a lost answer": [89, "and said to be failed"],
  "a late post does not say what it waited for": [9, "late without a reason"],
  "all guilds stand in one line": [720, "had their turn before it"],
  "a guild has as many open posts as it asks for": [62, "open posts"],
  "a post waits for the receiver's limit at the sink": [720, "had their turn before it"],
  "posts that were cancelled before their plan are not read": [127, "nothing says what became"],
};

describe("dispatch in the simulator", () => {
  test("the promise is kept in fifty runs", async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
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
    const [seed, says] = CAUGHT_BY[name] ?? [0, ""];
    expect((await simulate(seed, mutant)).violations.join()).toContain(says);
    expect((await simulate(seed)).violations).toEqual([]);
  });
});
