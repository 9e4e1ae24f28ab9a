import { afterEach, describe, expect, jest, test } from "@jest/globals";
import mongoose from "mongoose";
import { answeredModel } from "../test/doubles/answered-model.ts";
import { type Insert, newRecords } from "./new-records.ts";

const insertOf = (_id: string): Insert => ({ record: { _id }, replacement: [{ $replaceWith: { _id } }] });

type Reply = object | Error;
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** What is answered where those at these places were inserted. */
const insertedAt = (...places: readonly number[]) => ({ n: 1, upserted: places.map((index) => ({ index })) });
const TAKEN = insertedAt();
const NO_MAJORITY = { n: 1, writeConcernError: { errmsg: "waiting for replication timed out" } };
const SILENCE = {};
const lost = () => new mongoose.mongo.MongoNetworkError("connection closed");
const steppedDown = () => new mongoose.mongo.MongoServerError({ code: 189, message: "PrimarySteppedDown" });
const nobody = () => new mongoose.mongo.MongoServerSelectionError("no primary", {} as never);

/** A database that answers one command after another with these. */
function database(...replies: readonly Reply[]) {
  const commands: (readonly string[])[] = [];
  const command = ({ updates }: { updates: readonly { q: { _id: string } }[] }) => {
    const reply = replies[commands.length];
    commands.push(updates.map(({ q }) => q._id));
    if (reply === SILENCE) return new Promise(() => undefined);
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
  return { commands, insert: newRecords(answeredModel(command)) };
}

describe("new records", () => {
  afterEach(() => void jest.useRealTimers());

  test("those that come together are one command", async () => {
    const { commands, insert } = database(insertedAt(0, 1, 2));
    expect(await Promise.all(["a", "b", "c"].map((id) => insert(insertOf(id))))).toEqual([true, true, true]);
    expect(commands).toEqual([["a", "b", "c"]]);
  });

  test("one whose id is taken is told so, alone", async () => {
    const { insert } = database(insertedAt(1));
    expect(await Promise.all([insert(insertOf("a")), insert(insertOf("b"))])).toEqual([false, true]);
  });

  test("one that the database refuses for another reason rejects alone", async () => {
    const { insert } = database({ ...insertedAt(1), writeErrors: [{ index: 0, code: 17_419, errmsg: "too large" }] });
    const [one, two] = await Promise.allSettled([insert(insertOf("a")), insert(insertOf("b"))]);
    expect(one).toMatchObject({ status: "rejected", reason: { message: "too large" } });
    expect(two).toMatchObject({ value: true });
  });

  test.each([
    ["the answer was lost", lost()],
    ["the primary stepped down", steppedDown()],
    ["the majority was silent", NO_MAJORITY],
  ])("where %s it is tried again, and an id that is taken by then is its own", async (_what, first) => {
    const { commands, insert } = database(first, TAKEN);
    expect(await insert(insertOf("a"))).toBe(true);
    expect(commands).toHaveLength(2);
  });

  test.each([
    ["twice there was no answer", [lost(), lost()], "connection closed", 2],
    ["nobody was found to ask", [nobody()], "no primary", 1],
    ["it is a defect", [new TypeError("a defect")], "a defect", 1],
  ])("rejects where %s", async (_what, replies, message, tries) => {
    const { commands, insert } = database(...replies);
    await expect(insert(insertOf("a"))).rejects.toThrow(message);
    expect(commands).toHaveLength(tries);
  });

  test("commands that are never answered give their places to the next", async () => {
    jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick", "queueMicrotask"] });
    const { commands, insert } = database(SILENCE, SILENCE, insertedAt(0));
    const silence = async (id: string) =>
      expect(insert(insertOf(id))).rejects.toThrow("did not answer within 10000 ms");
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
