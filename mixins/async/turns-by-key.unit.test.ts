import { describe, expect, test } from "@jest/globals";
import { TurnsByKey } from "./turns-by-key.ts";

const OPTIONS = { maxWaiting: 10, maxWaitMs: 60_000, restFactor: 0, maxRestMs: 0 };

describe("turns by key", () => {
  test("run the work of a key one after the other, and that of other keys meanwhile", async () => {
    const turns = new TurnsByKey<string>(OPTIONS);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const done: string[] = [];
    const work = async (name: string) => void done.push(name);
    const first = turns.run("a", () => opened.then(() => work("a1")));
    const second = turns.run("a", () => work("a2"));
    await turns.run("b", () => work("b1"));
    expect(done).toEqual(["b1"]);
    open();
    await Promise.all([first, second]);
    expect(done).toEqual(["b1", "a1", "a2"]);
  });

  test("keep no key in memory for long after its work", async () => {
    const turns = new TurnsByKey<number>({ ...OPTIONS, maxWaitMs: 10 });
    const endless = new Promise<void>(() => {});
    void turns.run(-1, () => endless);
    for (let key = 0; key < 5_000; key += 1) await turns.run(key, async () => undefined);
    expect(turns.size).toBeLessThanOrEqual(1_000);
    // The key whose work still runs has kept its turns.
    await expect(turns.run(-1, async () => "ran")).resolves.toBeUndefined();
  });
});
