import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type ClientSession, type Connection, type Model, Schema } from "mongoose";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { closedConnection } from "./database.mixin.ts";
import { inTransaction } from "./transaction.ts";
import { DeadlinePassed, runInWriteContext } from "./write-context.ts";

interface Row {
  readonly _id: string;
}

describe("a transaction", () => {
  const connection: Connection = closedConnection();
  const model: Model<Row> = connection.model<Row>("Thing", new Schema<Row>({ _id: String }));
  let attempts: number;

  beforeAll(async () => {
    await connection.openUri(emptyDatabase());
    await model.createCollection();
  });
  afterAll(() => connection.close());
  beforeEach(() => void (attempts = 0));

  /** Writes one row, throws the error at the first attempts, and writes another row. */
  function work(id: string, error: () => Error, failures = 1) {
    return async (session: ClientSession) => {
      attempts += 1;
      await model.collection.insertOne({ _id: `${id} 1` } as never, { session });
      if (attempts <= failures) throw error();
      await model.collection.insertOne({ _id: `${id} 2` } as never, { session });
      return attempts;
    };
  }

  const rowsOf = (id: string) => model.countDocuments({ _id: new RegExp(`^${id} `) });

  test("that loses its connection in the middle is run again as a whole", async () => {
    await expect(inTransaction(connection, work("again", poolCleared))).resolves.toBe(2);
    expect(await rowsOf("again")).toBe(2);
  });

  test("is not run again by the driver alone", async () => {
    await expect(connection.transaction(work("alone", poolCleared))).rejects.toThrow("cleared");
    expect(await rowsOf("alone")).toBe(0);
  });

  test("is given up after the time of an election", async () => {
    let now = 0;
    const clock = () => (now += 2_000);
    await expect(inTransaction(connection, work("late", poolCleared, Infinity), clock)).rejects.toThrow("cleared");
    expect(attempts).toBe(3);
    expect(await rowsOf("late")).toBe(0);
  });

  test("fails at once with any other error", async () => {
    const defect = () => new mongoose.mongo.MongoError("a defect");
    await expect(inTransaction(connection, work("defect", defect))).rejects.toThrow("a defect");
    expect(attempts).toBe(1);
    expect(await rowsOf("defect")).toBe(0);
  });
});

describe("a transaction of a write with a deadline", () => {
  // The pool has one connection: a commit waits while another command uses it.
  const connection: Connection = closedConnection();
  const model: Model<Row> = connection.model<Row>("Thing", new Schema<Row>({ _id: String }));

  beforeAll(async () => {
    await connection.openUri(emptyDatabase(), { maxPoolSize: 1 });
    await model.createCollection();
  });
  afterAll(() => connection.close());

  const insert = (session: ClientSession, _id: string) => model.collection.insertOne({ _id } as never, { session });
  const isPassed = (deadline: number) => until(() => Date.now() > deadline, "the deadline has passed");

  test("is stored if it is committed in time, and no transaction stays open", async () => {
    await runInWriteContext({ deadline: Date.now() + 10_000 }, () =>
      inTransaction(connection, (session) => insert(session, "made")),
    );
    await inTransaction(connection, (session) =>
      model.collection.updateOne({ _id: "made" } as never, [{ $set: { of: "next" } }], { session }),
    );
    expect(await model.countDocuments({ _id: "made" })).toBe(1);
  });

  test("is not restarted after the deadline", async () => {
    let attempts = 0;
    const deadline = Date.now() + 200;
    const late = inTransaction.bind(undefined, connection, async (session) => {
      attempts += 1;
      await insert(session, `attempt ${attempts}`);
      if (attempts > 1) return;
      await isPassed(deadline);
      throw poolCleared();
    });
    await expect(runInWriteContext({ deadline }, late)).rejects.toThrow(DeadlinePassed);
    expect([attempts, await model.countDocuments({ _id: /^attempt/ })]).toEqual([1, 0]);
  });

  test("is not committed if the deadline passes before", async () => {
    const deadline = Date.now() + 200;
    const late = () =>
      inTransaction(connection, async (session) => {
        await insert(session, "late");
        await isPassed(deadline);
      });
    await expect(runInWriteContext({ deadline }, late)).rejects.toThrow(DeadlinePassed);
    expect(await model.countDocuments({ _id: "late" })).toBe(0);
  });

  test("is not committed if its commit waits for a connection until the deadline", async () => {
    const admin = connection.getClient().db("admin");
    const { topologyVersion } = await admin.command({ hello: 1 }, { promoteLongs: false });
    const deadline = Date.now() + 500;
    let other: Promise<unknown> | undefined;
    const late = () =>
      inTransaction(connection, async (session) => {
        await insert(session, "waiting");
        // MongoDB returns this when the time is over, or when its topology has changed.
        other = admin.command({ hello: 1, topologyVersion, maxAwaitTimeMS: deadline + 500 - Date.now() });
      });
    await expect(runInWriteContext({ deadline }, late)).rejects.toThrow("took too long");
    await other;
    expect(await model.countDocuments({ _id: "waiting" })).toBe(0);
  });
});

/** The error of a write whose connection pool has just lost its server. */
function poolCleared(): Error {
  const error = new mongoose.mongo.MongoNetworkError("the pool was cleared");
  Object.defineProperty(error, "name", { value: "MongoPoolClearedError" });
  return error;
}
