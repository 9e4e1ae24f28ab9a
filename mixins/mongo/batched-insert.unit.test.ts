import { afterEach, describe, expect, jest, test } from "@jest/globals";
import mongoose from "mongoose";
import type { GuildId } from "../../services/contracts/ids.ts";
import { stubModel } from "../../test/doubles/stub-model.ts";
import { batchedInsert, type NewRecord } from "./batched-insert.ts";
import { isDatabaseUnavailable } from "./database.mixin.ts";
import { DeadlinePassed } from "./write-context.ts";

const insertOf = (_id: string): NewRecord => ({
  record: { _id, guildId: "1" as GuildId },
  replacement: [{ $replaceWith: { _id } }],
});

type Reply = object | Error;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const DONE = { n: 1 };
const NO_MAJORITY = { ...DONE, writeConcernError: { errmsg: "waiting for replication timed out" } };
const SILENCE = {};
const lost = () => new mongoose.mongo.MongoNetworkError("connection closed");
const serverError = (code: number) => new mongoose.mongo.MongoServerError({ code, message: `error ${code}` });
const nobody = () => new mongoose.mongo.MongoServerSelectionError("no primary", {} as never);
const refusedAt = (index: number, code: number) => ({ ...DONE, writeErrors: [{ index, code, errmsg: "refused" }] });
const [TAKEN, STEPPED_DOWN, TOO_LATE, TOO_LATE_TOGETHER, NO_ROOM, TOO_LARGE] = [11_000, 189, 66, 40_228, 365, 17_419];

type Sent = { readonly pipeline: readonly [Documents] } | { readonly updates: readonly Update[] };
interface Documents {
  readonly $documents: readonly { readonly record: { readonly _id: string } }[];
}
interface Update {
  readonly q: { readonly _id: string };
}

/** A database that responds to the commands with these replies, in order. */
function database(...replies: readonly Reply[]) {
  const commands: string[] = [];
  const command = (sent: Sent) => {
    const reply = replies[commands.length];
    commands.push(described(sent));
    if (reply === SILENCE) return new Promise(() => undefined);
    return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
  };
  return { commands, insert: batchedInsert(stubModel(command)) };
}

function described(sent: Sent): string {
  if ("updates" in sent) return `each of ${sent.updates.map(({ q }) => q._id).join(" ")}`;
  return sent.pipeline[0].$documents.map(({ record }) => record._id).join(" ");
}

describe("a batched insert", () => {
  afterEach(() => void jest.useRealTimers());

  test("sends concurrent records in one command", async () => {
    const { commands, insert } = database(DONE);
    await Promise.all(["a", "b", "c"].map((id) => insert(insertOf(id))));
    expect(commands).toEqual(["a b c"]);
  });

  test("inserts each record by itself if the database has refused one of them, and rejects only that one", async () => {
    const { commands, insert } = database(serverError(TOO_LARGE), refusedAt(0, TOO_LARGE));
    const [one, two] = await Promise.allSettled([insert(insertOf("a")), insert(insertOf("b"))]);
    expect(one).toMatchObject({ status: "rejected", reason: { message: "refused" } });
    expect(two).toMatchObject({ status: "fulfilled" });
    expect(commands).toEqual(["a b", "each of a b"]);
  });

  test("says of a record for which the database's cache had no room that the database was unavailable", async () => {
    const { insert } = database(serverError(NO_ROOM), refusedAt(0, NO_ROOM));
    const failure = await insert(insertOf("a")).catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  test("rejects only the record that is past its deadline, and does not store it", async () => {
    const { insert } = database(serverError(TOO_LATE_TOGETHER), refusedAt(1, TOO_LATE));
    const [one, two] = await Promise.allSettled([insert(insertOf("a")), insert(insertOf("b"))]);
    expect(one).toMatchObject({ status: "fulfilled" });
    expect(two).toMatchObject({ reason: expect.any(DeadlinePassed) });
  });

  test.each([
    ["the id exists", serverError(TAKEN)],
    ["the response was lost", lost()],
    ["the primary stepped down", serverError(STEPPED_DOWN)],
  ])("when %s, is tried again, and an id that exists then counts as its own", async (_what, first) => {
    const { commands, insert } = database(first, refusedAt(0, TAKEN));
    await insert(insertOf("a"));
    expect(commands).toEqual(["a", "each of a"]);
  });

  test("that is too late at its second attempt may have been stored by the first one", async () => {
    const { insert } = database(lost(), refusedAt(0, TOO_LATE));
    const failure = await insert(insertOf("a")).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: "no outcome of an insert: connection closed" });
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  test.each([
    ["two attempts got no response", [lost(), lost()], "connection closed", 2],
    ["the majority was silent", [lost(), NO_MAJORITY], "no majority", 2],
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
    await last;
    await Promise.all(silent);
  });
});
