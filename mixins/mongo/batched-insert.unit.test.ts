import { afterEach, describe, expect, jest, test } from "@jest/globals";
import mongoose from "mongoose";
import type { GuildId } from "../../services/contracts/ids.ts";
import { stubModel } from "../../test/doubles/stub-model.ts";
import { type Insert, batchedInsert } from "./batched-insert.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";
import { DeadlinePassed } from "./write-context.ts";

const insertOf = (_id: string): Insert => ({
  record: { _id, guildId: "1" as GuildId },
  replacement: [{ $replaceWith: { _id } }],
});

type Reply = object | Error;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const DONE = { n: 1 };
const NO_MAJORITY = { ...DONE, writeConcernError: { errmsg: "waiting for replication timed out" } };
const SILENCE = {};
const lost = () => new mongoose.mongo.MongoNetworkError("connection closed");
const steppedDown = () => new mongoose.mongo.MongoServerError({ code: 189, message: "PrimarySteppedDown" });
const nobody = () => new mongoose.mongo.MongoServerSelectionError("no primary", {} as never);
const refusedAt = (index: number, code: number) => ({ ...DONE, writeErrors: [{ index, code, errmsg: "refused" }] });
const [TAKEN, TOO_LATE, NO_ROOM] = [11_000, 66, 365];

interface Asked {
  readonly updates: readonly { readonly q: { readonly _id: string } }[];
}

/** A database that responds to the commands with these replies, in order. */
function database(...replies: readonly Reply[]) {
  const commands: string[] = [];
  const command = ({ updates }: Asked) => {
    const reply = replies[commands.length];
    commands.push(updates.map(({ q }) => q._id).join(" "));
    if (reply === SILENCE) return new Promise(() => undefined);
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
  return { commands, insert: batchedInsert(stubModel(command)) };
}

describe("a batched insert", () => {
  afterEach(() => void jest.useRealTimers());

  test("sends concurrent records in one command", async () => {
    const { commands, insert } = database(DONE);
    expect(await Promise.all(["a", "b", "c"].map((id) => insert(insertOf(id))))).toEqual([true, true, true]);
    expect(commands).toEqual(["a b c"]);
  });

  test("reports an existing id only to its own record", async () => {
    const { commands, insert } = database(refusedAt(0, TAKEN));
    expect(await Promise.all([insert(insertOf("a")), insert(insertOf("b"))])).toEqual([false, true]);
    expect(commands).toEqual(["a b"]);
  });

  test("rejects only the record that the database refuses for another reason", async () => {
    const { insert } = database(refusedAt(0, 17_419));
    const [one, two] = await Promise.allSettled([insert(insertOf("a")), insert(insertOf("b"))]);
    expect(one).toMatchObject({ status: "rejected", reason: { message: "refused" } });
    expect(two).toMatchObject({ value: true });
  });

  test("says of a record for which the database's cache had no room that the database was unavailable", async () => {
    const { insert } = database(refusedAt(0, NO_ROOM));
    const failure = await insert(insertOf("a")).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  test("rejects only the record that is past its deadline, and does not store it", async () => {
    const { insert } = database(refusedAt(1, TOO_LATE));
    const [one, two] = await Promise.allSettled([insert(insertOf("a")), insert(insertOf("b"))]);
    expect(one).toMatchObject({ value: true });
    expect(two).toMatchObject({ reason: expect.any(DeadlinePassed) });
  });

  test.each([
    ["the response was lost", lost()],
    ["the primary stepped down", steppedDown()],
    ["the majority was silent", NO_MAJORITY],
  ])("when %s, is tried again, and an id that exists then counts as its own", async (_what, first) => {
    const { commands, insert } = database(first, refusedAt(0, TAKEN));
    expect(await insert(insertOf("a"))).toBe(true);
    expect(commands).toEqual(["a", "a"]);
  });

  test("that is too late at its second attempt may have been stored by the first one", async () => {
    const { insert } = database(lost(), refusedAt(0, TOO_LATE));
    await expect(insert(insertOf("a"))).rejects.toThrow("connection closed");
  });

  test.each([
    ["two attempts got no response", [lost(), lost()], "connection closed", 2],
    ["no server was found", [nobody()], "no primary", 1],
    ["it is a defect", [new TypeError("a defect")], "a defect", 1],
  ])("rejects when %s", async (_what, replies, message, attempts) => {
    const { commands, insert } = database(...replies);
    await expect(insert(insertOf("a"))).rejects.toThrow(message);
    expect(commands).toHaveLength(attempts);
  });

  test("lets further commands start when earlier ones are never answered", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick", "queueMicrotask"] });
    const { commands, insert } = database(SILENCE, SILENCE, DONE);
    const silence = async (id: string) =>
      expect(insert(insertOf(id))).rejects.toThrow("did not respond within 10000 ms");
    const silent: Promise<void>[] = [];
    for (const id of ["a", "b"]) {
      silent.push(silence(id));
      await turn();
    }
    const last = insert(insertOf("c"));
    await turn();
    expect(commands).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(10_000);
    await expect(last).resolves.toBe(true);
    await Promise.all(silent);
  });
});
