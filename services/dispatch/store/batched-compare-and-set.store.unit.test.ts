import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { stubModel } from "../../../test/doubles/stub-model.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type CompareAndSet, batchedCompareAndSet } from "./batched-compare-and-set.store.ts";

interface Command {
  readonly updates?: readonly { readonly q: { readonly _id: string }; readonly u: { readonly $set: object } }[];
}

const guildId = "1" as GuildId;
const step = (id: string): CompareAndSet => ({ id, guildId, expected: {}, change: { set: {}, unset: [] } });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A database whose writes are answered by the test, and which then finds every row with its mark. */
function heldDatabase() {
  const commands: {
    readonly ids: readonly string[];
    respond: (reply?: object) => void;
    fail: (error: unknown) => void;
  }[] = [];
  const rows: object[] = [];
  const command = ({ updates }: Command) =>
    new Promise((resolve, reject) => {
      if (updates === undefined) {
        resolve({ cursor: { id: 0, firstBatch: rows } });
        return;
      }
      rows.push(...updates.map(({ q, u }) => ({ _id: q._id, ...u.$set })));
      const ids = updates.map(({ q }) => q._id);
      commands.push({ ids, respond: (reply = {}) => resolve({ n: ids.length, ...reply }), fail: reject });
    });
  return { commands, model: stubModel(command) };
}

describe("the batching of compare-and-set", () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick", "queueMicrotask"] }));
  afterEach(() => void jest.useRealTimers());

  test("sends changes that come while two commands are in flight in the next command", async () => {
    const { commands, model } = heldDatabase();
    const take = batchedCompareAndSet<{ readonly _id: string }>(model);
    const taken: Promise<unknown>[] = [];
    for (const id of ["a", "b", "c", "d"]) {
      taken.push(take(step(id)));
      await turn();
    }
    expect(commands.map(({ ids }) => ids)).toEqual([["a"], ["b"]]);
    commands[1]?.respond();
    await turn();
    await turn();
    expect(commands.map(({ ids }) => ids)).toEqual([["a"], ["b"], ["c", "d"]]);
    commands[0]?.respond();
    commands[2]?.respond();
    expect(await Promise.all(taken)).toMatchObject([{ _id: "a" }, { _id: "b" }, { _id: "c" }, { _id: "d" }]);
  });

  test("sends changes that come within the gathering time in one command", async () => {
    const { commands, model } = heldDatabase();
    const take = batchedCompareAndSet<{ readonly _id: string }>(model, 25);
    const taken = [take(step("a"))];
    await jest.advanceTimersByTimeAsync(24);
    taken.push(take(step("b")));
    expect(commands).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(commands.map(({ ids }) => ids)).toEqual([["a", "b"]]);
    commands[0]?.respond();
    expect(await Promise.all(taken)).toMatchObject([{ _id: "a" }, { _id: "b" }]);
  });

  test("rejects the changes of a failed command, and sends the next", async () => {
    const { commands, model } = heldDatabase();
    const take = batchedCompareAndSet<{ readonly _id: string }>(model);
    for (let attempts = 0; attempts < 3; attempts += 1) {
      const taken = take(step("a"));
      await turn();
      commands.at(-1)?.fail(new Error("no primary"));
      await expect(taken).rejects.toThrow("no primary");
    }
    const taken = take(step("a"));
    await turn();
    commands.at(-1)?.respond();
    await expect(taken).resolves.toMatchObject({ _id: "a" });
  });

  test("rejects changes without the majority's acknowledgement, though the rows can be read", async () => {
    const { commands, model } = heldDatabase();
    const take = batchedCompareAndSet(model);
    const taken = Promise.allSettled(["a", "b"].map((id) => take(step(id))));
    await turn();
    const writeConcernError = { code: 64, errmsg: "waiting for replication timed out" };
    commands[0]?.respond({ writeErrors: [{ index: 0, errmsg: "refused" }], writeConcernError });
    const silence = { reason: { message: "no majority: waiting for replication timed out" } };
    expect(await taken).toMatchObject([silence, silence]);
  });

  test("sends the next command 5 s after one without a response", async () => {
    const { commands, model } = heldDatabase();
    const take = batchedCompareAndSet<{ readonly _id: string }>(model);
    const silence = async (id: string) => expect(take(step(id))).rejects.toThrow("did not respond within 5000 ms");
    const silent = [silence("a")];
    await turn();
    silent.push(silence("b"));
    await turn();
    const last = take(step("d"));
    await turn();
    expect(commands).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(5_000);
    await turn();
    commands.at(-1)?.respond();
    await expect(last).resolves.toMatchObject({ _id: "d" });
    await Promise.all(silent);
  });
});
