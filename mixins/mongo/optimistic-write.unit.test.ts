import { describe, expect, test } from "@jest/globals";
import { refuse } from "../../services/contracts/errors.ts";
import { optimisticWrite } from "./optimistic-write.ts";

describe("an optimistic write", () => {
  test("decides again on the present state when another write was stored in between", async () => {
    const stored = [1, 5, 9];
    const decided: number[] = [];
    const outcome = await optimisticWrite({
      load: async () => stored[decided.length] as number,
      decide: (state) => {
        decided.push(state);
        return state + 1;
      },
      save: async () => decided.length === 3,
    });
    expect(outcome).toBe(10);
    expect(decided).toEqual([1, 5, 9]);
  });

  test("saves nothing after a refusal", async () => {
    let saves = 0;
    const save = async () => ++saves > 0;
    const outcome = await optimisticWrite({ load: async () => 1, decide: () => refuse("EVENT_NOT_FOUND"), save });
    expect(outcome).toEqual({ refusal: "EVENT_NOT_FOUND" });
    expect(saves).toBe(0);
  });

  test("ends with the refusal of a save, and does not try again", async () => {
    let saves = 0;
    const save = async () => {
      saves += 1;
      return refuse("TOO_MANY_EVENTS");
    };
    const outcome = await optimisticWrite({ load: async () => 1, decide: (state) => state, save });
    expect(outcome).toEqual({ refusal: "TOO_MANY_EVENTS" });
    expect(saves).toBe(1);
  });

  test("ends with a conflict after four seconds", async () => {
    let now = 0;
    const clock = () => (now += 1_000);
    const steps = { load: async () => 1, decide: (state: number) => state, save: async () => false };
    await expect(optimisticWrite(steps, clock)).resolves.toEqual({ refusal: "WRITE_CONFLICT" });
  });

  test.each([
    ["the change is refused", async () => true, () => refuse("EVENT_NOT_FOUND")],
    ["the state cannot be saved", async () => false, (state: number) => state],
    ["the save is refused", async () => refuse("TOO_MANY_EVENTS"), (state: number) => state],
  ])("when %s, ends with the outcome of another attempt that was stored", async (_what, save, decide) => {
    const steps = { load: async () => 1, decide, save, findEarlierAttempt: async () => "done" };
    await expect(optimisticWrite(steps)).resolves.toBe("done");
  });

  test("does not look for another attempt after a successful save", async () => {
    const findEarlierAttempt = () => Promise.reject(new Error("looked for"));
    const steps = { load: async () => 1, decide: (state: number) => state, save: async () => true, findEarlierAttempt };
    await expect(optimisticWrite(steps)).resolves.toBe(1);
  });
});
