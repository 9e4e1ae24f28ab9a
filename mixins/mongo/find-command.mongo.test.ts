import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection, type Model, Schema } from "mongoose";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { closedConnection } from "./database.mixin.ts";
import { findPages, findRows, streamRows } from "./find-command.ts";
import { distinctInSnapshot } from "./snapshot-reads.ts";

interface Row {
  readonly _id: number;
  readonly text?: string;
}

const ROWS = 40;
const read = { filter: {}, sort: { _id: 1 } } as const;

describe("a read by the plain find command", () => {
  const connection: Connection = closedConnection();
  const model: Model<Row> = connection.model<Row>("Thing", new Schema<Row>({ _id: Number, text: String }));

  beforeAll(async () => {
    await connection.openUri(emptyDatabase());
    const rows = Array.from({ length: ROWS }, (_, _id) => ({ _id, text: "x".repeat(500_000) }));
    await model.collection.insertMany(rows as never[]);
  });

  afterAll(() => connection.close());

  /** The same model, with every command counted; `instead` replaces the responses. */
  function countedCommands(instead?: () => Promise<never>) {
    const commands: string[] = [];
    const db = connection.db!;
    const command = (request: object, options?: object) => {
      if ("hello" in request) return db.command(request);
      commands.push(Object.keys(request)[0] ?? "");
      return instead === undefined ? db.command(request, options) : instead();
    };
    const runCursorCommand = db.runCursorCommand.bind(db);
    return {
      commands,
      model: { db: { db: { command, runCursorCommand } as never }, collection: model.collection },
    };
  }

  test("is one command if the rows fit in one reply", async () => {
    const { commands, model: seen } = countedCommands();
    const rows = await findRows<Row>(seen, { ...read, filter: { _id: { $lt: 3 } }, projection: { _id: 1 } });
    expect(rows).toEqual([{ _id: 0 }, { _id: 1 }, { _id: 2 }]);
    expect(commands).toEqual(["find"]);
  });

  test("returns every row of 20 MB, more than one reply holds, and leaves no cursor open", async () => {
    const { commands, model: seen } = countedCommands();
    const rows = await findRows<Row>(seen, read);
    expect(rows.map(({ _id }) => _id)).toEqual(Array.from({ length: ROWS }, (_, _id) => _id));
    expect(commands).toEqual(["find", "killCursors"]);
  });

  describe("in pages", () => {
    const pagesOf = async (seen: ReturnType<typeof countedCommands>["model"], options: object) =>
      Array.fromAsync(findPages<Row>(seen, { ...read, projection: { _id: 1 }, batchSize: 10, ...options }));
    const ids = (count: number) => Array.from({ length: count }, (_, _id) => ({ _id }));

    test.each([
      ["all rows fit in one page", { filter: { _id: { $lt: 10 } } }, 10],
      ["the limit is reached", { limit: 11 }, 11],
      ["there are no rows", { filter: { _id: -1 } }, 0],
    ])("is one command if %s", async (_if, options, count) => {
      const { commands, model: seen } = countedCommands();
      expect((await pagesOf(seen, options)).flat()).toEqual(ids(count));
      expect(commands).toEqual(["find"]);
    });

    test("returns every row of a page that is larger than one reply", async () => {
      const { commands, model: seen } = countedCommands();
      const pages = await pagesOf(seen, { projection: {}, batchSize: ROWS });
      expect(pages.flat().map(({ _id }) => ({ _id }))).toEqual(ids(ROWS));
      expect(commands).toEqual(["find", "killCursors"]);
    });

    test("returns every row of several pages", async () => {
      const pages = await pagesOf(countedCommands().model, {});
      expect(pages.flat()).toEqual(ids(ROWS));
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(10);
    });

    test("lets the event loop run between rows that take long to decode", async () => {
      const collection = connection.collection<{ _id: number; ids: string[] }>("rows_of_ids");
      const many = Array.from({ length: 20_000 }, (_, at) => `id ${at}`);
      await collection.insertMany(Array.from({ length: 8 }, (_, _id) => ({ _id, ids: many })));
      for (const batchSize of [8, 4]) {
        let turns = 0;
        const turn = setInterval(() => (turns += 1), 0);
        const turnsAtPages: number[] = [];
        let rows = 0;
        for await (const page of findPages<{ ids: string[] }>({ db: connection, collection }, { ...read, batchSize })) {
          turnsAtPages.push(turns);
          for (const { ids: decoded } of page) rows += decoded.length / many.length;
        }
        clearInterval(turn);
        expect([batchSize, rows]).toEqual([batchSize, 8]);
        expect(turnsAtPages.length).toBeGreaterThan(4);
        expect(new Set(turnsAtPages).size).toBe(turnsAtPages.length);
      }
    });

    test("falls back to a cursor when the command fails, as in an election", async () => {
      const { model: seen } = countedCommands(() => Promise.reject(new Error("not primary")));
      expect((await pagesOf(seen, { limit: 3 })).flat()).toEqual(ids(3));
    });
  });

  test("falls back to the driver's cursor when the command fails, as in an election", async () => {
    const { commands, model: seen } = countedCommands(() => Promise.reject(new Error("not primary")));
    await expect(findRows<Row>(seen, { filter: { _id: 7 }, projection: { text: 0 } })).resolves.toEqual([{ _id: 7 }]);
    expect(commands).toEqual(["find"]);
  });

  test("waits for a server once, and not twice", async () => {
    const gone = new mongoose.mongo.MongoServerSelectionError("gone", {} as never);
    const { model: seen } = countedCommands(() => Promise.reject(gone));
    await expect(findRows(seen, read)).rejects.toBe(gone);
  });

  test("sees the snapshot of the given time, both by command and by cursor", async () => {
    const { values, at } = await distinctInSnapshot(model, "_id", { _id: { $lt: 3 } });
    expect(new Set(values)).toEqual(new Set([0, 1, 2]));
    await model.collection.insertOne({ _id: 1_000 } as never);
    const short = await findRows<Row>(model, { ...read, projection: { _id: 1 } }, at);
    const inBatches = await findRows<Row>(model, read, at);
    const again = await findRows<Row>(countedCommands(() => Promise.reject(new Error("not primary"))).model, read, at);
    const ids: number[] = [];
    for await (const { _id } of streamRows<Row>(model, { ...read, batchSize: 2 }, at)) ids.push(_id);
    expect([short.length, inBatches.length, again.length, ids.length]).toEqual([ROWS, ROWS, ROWS, ROWS]);
    await expect(findRows(model, { filter: { _id: 1_000 } })).resolves.toHaveLength(1);
  });

  test("of distinct values is retried once when it fails, as in an election", async () => {
    const { commands, model: seen } = countedCommands(() => Promise.reject(new Error("not primary")));
    await expect(distinctInSnapshot(seen, "_id", {})).rejects.toThrow("not primary");
    expect(commands).toEqual(["aggregate", "aggregate"]);
  });

  test("fails at once on a closed connection", async () => {
    const closed = closedConnection();
    await expect(findRows(closed.model("Thing", model.schema), read)).rejects.toThrow("not connected");
  });
});
