import { afterEach, describe, expect, jest, test } from "@jest/globals";
import mongoose from "mongoose";
import { answeredModel } from "../test/doubles/answered-model.ts";
import { type Insert, newRecords } from "./new-records.ts";

const insertOf = (_id: string): Insert => ({ record: { _id }, replacement: [{ $replaceWith: { _id } }] });

type Reply = object | Error;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const DONE = { cursor: { firstBatch: [] } };
const PUT = { n: 1 };
const NO_MAJORITY = { ...DONE, writeConcernError: { errmsg: "waiting for replication timed out" } };
const SILENCE = {};
const lost = () => new mongoose.mongo.MongoNetworkError("connection closed");
const steppedDown = () => new mongoose.mongo.MongoServerError({ code: 189, message: "PrimarySteppedDown" });
const nobody = () => new mongoose.mongo.MongoServerSelectionError("no primary", {} as never);
const taken = (_id: string) => new mongoose.mongo.MongoServerError({ code: 11_000, keyValue: { _id } });
const refusedAt = (index: number, code: number) => ({ ...PUT, writeErrors: [{ index, code, errmsg: "refused" }] });

interface Asked {
  readonly pipeline?: readonly [{ readonly $documents: readonly { readonly _id: string }[] }, object];
  readonly updates?: readonly { readonly q: { readonly _id: string } }[];
}

/** A database that answers one command after another with these. */
function database(...replies: readonly Reply[]) {
  const commands: string[] = [];
  const command = ({ pipeline, updates }: Asked) => {
    const reply = replies[commands.length];
    const ids = pipeline?.[0].$documents.map(({ _id }) => _id) ?? updates?.map(({ q }) => q._id) ?? [];
    commands.push(`${pipeline === undefined ? "put" : "insert"} ${ids.join(" ")}`);
    if (reply === SILENCE) return new Promise(() => undefined);
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
  return { commands, insert: newRecords(answeredModel(command)) };
}

describe("new records", () => {
  afterEach(() => void jest.useRealTimers());

  test("those that come together are one command", async () => {
    const { commands, insert } = database(DONE);
    expect(await Promise.all(["a", "b", "c"].map((id) => insert(insertOf(id))))).toEqual([true, true, true]);
    expect(commands).toEqual(["insert a b c"]);
  });

  test("one whose id is taken is told so, alone: the others are put where there is none", async () => {
    const { commands, insert } = database(taken("a"), PUT);
    expect(await Promise.all([insert(insertOf("a")), insert(insertOf("b"))])).toEqual([false, true]);
    expect(commands).toEqual(["insert a b", "put a b"]);
  });

  test("one that is put there by another in between was put there", async () => {
    const { insert } = database(lost(), refusedAt(0, 11_000));
    await expect(insert(insertOf("a"))).resolves.toBe(true);
  });

  test("one that the database refuses for another reason rejects alone", async () => {
    const { insert } = database(lost(), refusedAt(0, 17_419));
    const [one, two] = await Promise.allSettled([insert(insertOf("a")), insert(insertOf("b"))]);
    expect(one).toMatchObject({ status: "rejected", reason: { message: "refused" } });
    expect(two).toMatchObject({ value: true });
  });

  test.each([
    ["the answer was lost", lost()],
    ["the primary stepped down", steppedDown()],
    ["the majority was silent", NO_MAJORITY],
  ])("where %s it is tried again, and an id that is taken by then is its own", async (_what, first) => {
    const { commands, insert } = database(first, PUT);
    expect(await insert(insertOf("a"))).toBe(true);
    expect(commands).toEqual(["insert a", "put a"]);
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
    const { commands, insert } = database(SILENCE, SILENCE, DONE);
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
