import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type ClientSession, type Connection, type Model, Schema } from "mongoose";
import { emptyDatabase } from "../../test/real-parts/test-services.ts";
import { closedConnection } from "./database.mixin.ts";
import { inTransaction } from "./transaction.ts";

interface Row {
  readonly _id: string;
}

describe("a transaction", () => {
  const connection: Connection = closedConnection();
  const model: Model<Row> = connection.model<Row>("Thing", new Schema<Row>({ _id: String }));
  let tries: number;

  beforeAll(async () => {
    await connection.openUri(emptyDatabase());
    await model.createCollection();
  });
  afterAll(() => connection.close());
  beforeEach(() => void (tries = 0));

  /** Writes one row, throws the error at the first tries, and writes another row. */
  function work(id: string, error: () => Error, failures = 1) {
    return async (session: ClientSession) => {
      tries += 1;
      await model.collection.insertOne({ _id: `${id} 1` } as never, { session });
      if (tries <= failures) throw error();
      await model.collection.insertOne({ _id: `${id} 2` } as never, { session });
      return tries;
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
    expect(tries).toBe(3);
    expect(await rowsOf("late")).toBe(0);
  });

  test("fails at once with any other error", async () => {
    const defect = () => new mongoose.mongo.MongoError("a defect");
    await expect(inTransaction(connection, work("defect", defect))).rejects.toThrow("a defect");
    expect(tries).toBe(1);
    expect(await rowsOf("defect")).toBe(0);
  });
});

/** The error of a write whose connection pool has just lost its server. */
function poolCleared(): Error {
  const error = new mongoose.mongo.MongoNetworkError("the pool was cleared");
  Object.defineProperty(error, "name", { value: "MongoPoolClearedError" });
  return error;
}
