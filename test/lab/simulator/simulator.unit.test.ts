import { describe, expect, test } from "@jest/globals";
import { MUTANTS, withVanishedReplica } from "./mutants.ts";
import { simulate } from "./simulation.ts";

/** For each mutant a seed that catches it, and a part of the broken promise's text. */
const CAUGHT_BY: Readonly<Record<string, readonly [seed: number, text: string]>> = {
  "broadcasts only: no feed is read": [5, "was not planned by"],
  "no plan for a new event, wherever it starts": [27, "was not planned by"],
  "only the first replica of a guild plans it, and one is listed that does not run": [62, "it has no outcome"],
  "a change counts as planned before its plan is stored, and the replica vanishes": [62, "it has no outcome"],
  "no sweep of the horizon": [19, "it has no outcome"],
  "no take-over of expired leases": [4, "still sending at the end"],
  "a claim ignores the plan revision": [2757, "posted against a change"],
  "no nonce": [4, "posted twice"],
  "a claim ignores the age of the current state": [1154, "posted against a change"],
  "the current state is not read at the due instant": [11, "posted against a change"],
  "the clock of a process and of its claims is ahead": [3, " early"],
  "a claim takes a post that is being sent": [18, "claimed while another held it"],
  "a write ignores the fence": [16, "a stale write"],
  "an older plan overwrites a newer one": [24, "an older plan"],
  "the feed is read without an overlap": [69, "was not planned by"],
  "a nonce is trusted without a time limit": [6, "posted twice"],
  "a lookup always returns absent": [93, "posted twice"],
  "the deadline is ignored": [56, "sent after its deadline"],
  "an unknown outcome counts as undelivered": [8, "and its state is"],
  "a process uses its wall clock": [5, "at the end"],
  "a graceful stop does not wait": [193, "left in flight"],
  "a refusal that only an operator can resolve fails the post": [183, "though no receiver had refused it"],
  "a circuit does not stay open": [630, "its sink was halted"],
  "a permanent refusal of a channel suspends nothing": [176, "was suspended"],
  "an update does not lift a suspension": [1802, "a suspension that did not exist"],
  "a refusal counts as certain after a lost response": [89, "and its state is failed"],
  "a late post has no reason of its delay": [9, "late without a reason"],
  "all guilds share one queue": [720, "were sent before it"],
  "the open posts of a guild are not limited": [62, "open posts"],
  "a post waits for the receiver's rate limit inside the sink": [720, "were sent before it"],
  "events that have started are not read": [122, "it has no row"],
  "events are read by their starts for posts by their ends": [41, "it has no row"],
  "the changes of events are not known": [26, "should be planned"],
  "the time at which an end was set is not known": [494, "posted against a change"],
  "an event that is moved counts as created": [173, "posted against a change"],
  "posts by different offsets have the same nonce": [125, "posted twice"],
  "the pause is not read at the due instant": [21, "due during a pause"],
  "a pause that was ended is forgotten": [20, "posted against a change"],
  "the holiday is not read at the due instant": [31, "on a holiday"],
  "the holiday at the due instant is the first one that was read": [424, "on a holiday that did not exist"],
  "an empty digest is posted": [67, "it lists no event"],
  "the zone of a digest is that of its plan": [267, "should be planned"],
  "a plan compares no message": [4, "its message shows"],
  "a message is not compared after its send": [19_664, "its message shows"],
  "a message that was deleted is edited on": [22, "after it was deleted"],
  "an edit without a response counts as made": [114, "its message shows"],
  "no take-over of the steps of workers that vanished": [164, "its message shows"],
  "a deletion without a response counts as made": [246, "its message was not deleted"],
  "a message that was gone before its deletion is a failure": [346, "deletion failed: Unknown Message"],
  "the number of deleted messages is not stored": [272, "its message was not deleted"],
  "the deletion of a message stays when its event is moved": [272, " early"],
  "the messages of a deleted announcement are deleted": [1472, "did not say so"],
  "posts that were cancelled before their plan are not read": [45, "it has no outcome"],
};

/** Seeds whose run without a mutant kept every promise. A seed determines its run, so that one run of each is enough. */
const kept = new Set<number>();

async function keepsItsPromises(seed: number): Promise<void> {
  if (kept.has(seed)) return;
  const { violations } = await simulate(seed);
  expect({ seed, violations }).toEqual({ seed, violations: [] });
  kept.add(seed);
}

describe("dispatch in the simulator", () => {
  test("the promise is kept in fifty runs", async () => {
    for (let seed = 1; seed <= 50; seed += 1) await keepsItsPromises(seed);
    expect(kept.size).toBe(50);
  });

  test("keeps its promises while a replica is listed that no longer runs, and plans nothing", async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { violations } = await simulate(seed, { ports: withVanishedReplica });
      expect({ seed, violations }).toEqual({ seed, violations: [] });
    }
  });

  test("a seed determines a run", async () => {
    const [first, second] = [await simulate(7), await simulate(7)];
    expect(first.eventLog()).toEqual(second.eventLog());
    expect(first.eventLog().length).toBeGreaterThan(5);
  });

  test("every mutant has a seed that catches it", () => {
    expect(Object.keys(CAUGHT_BY)).toEqual(Object.keys(MUTANTS));
  });

  test.each(Object.entries(MUTANTS))("a promise is broken without a protection: %s", async (name, mutant) => {
    const [seed, text] = CAUGHT_BY[name] ?? [0, ""];
    expect((await simulate(seed, mutant)).violations.join()).toContain(text);
    await keepsItsPromises(seed);
  });
});
