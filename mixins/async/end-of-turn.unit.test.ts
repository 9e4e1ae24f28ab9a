import { describe, expect, test } from "@jest/globals";
import { EndOfTurn } from "./end-of-turn.ts";

describe("the end of a turn", () => {
  test("runs the functions that were added in a turn together, in order", async () => {
    const done: string[] = [];
    const turn = new EndOfTurn();
    const all = ["a", "b", "c"].map((each) => turn.add(() => void done.push(each)));
    queueMicrotask(() => void turn.add(() => void done.push("later in the turn")));
    await Promise.resolve();
    expect(done).toEqual([]);
    await all[0];
    expect(done).toEqual(["a", "b", "c", "later in the turn"]);
  });

  test("a function that throws rejects its own promise and does not stop the others", async () => {
    const turn = new EndOfTurn();
    const outcomes = await Promise.allSettled([
      turn.add(() => {
        throw new Error("closed");
      }),
      turn.add(() => undefined),
    ]);
    expect(outcomes).toMatchObject([{ status: "rejected", reason: { message: "closed" } }, { status: "fulfilled" }]);
  });

  test("a function that is added while others run is run in the next turn", async () => {
    const done: string[] = [];
    const turn = new EndOfTurn();
    let inner: Promise<void> | undefined;
    await turn.add(() => {
      inner = turn.add(() => void done.push("inner"));
    });
    expect(done).toEqual([]);
    await inner;
    expect(done).toEqual(["inner"]);
  });
});
