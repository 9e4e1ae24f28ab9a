import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Connection, Schema } from "mongoose";
import { closedConnection } from "../../mixins/mongo/database.mixin.ts";
import { emptyDatabase } from "./test-services.ts";
import { mismatchesOf, needRowsAsSchemas } from "./stored-as-schemas.ts";

interface Row {
  readonly _id: string;
  readonly at: Date;
  readonly list?: { readonly text?: string }[];
  readonly part?: { readonly number?: number };
}

const schema = new Schema<Row>({
  _id: String,
  at: { type: Date, required: true },
  list: { type: [{ _id: false, text: String }], default: undefined },
  part: { type: { number: Number }, _id: false },
});

describe("stored rows, compared with the schema of their collection", () => {
  const connection: Connection = closedConnection();
  const rows = connection.model<Row>("Row", schema).collection;
  const url = emptyDatabase();
  const at = new Date(0);

  beforeAll(() => connection.openUri(url));
  afterAll(() => connection.close());

  async function mismatchOf(fields: object): Promise<string | undefined> {
    await rows.deleteMany({});
    await rows.insertOne({ _id: "a", at, ...fields } as never);
    const [misfit] = await mismatchesOf(connection);
    return misfit;
  }

  test("that match it are accepted", async () => {
    expect(await mismatchOf({})).toBeUndefined();
    expect(await mismatchOf({ list: [{ text: "b" }, {}], part: { number: 1 } })).toBeUndefined();
  });

  test.each([
    ["a path that is not in the schema", { other: 1 }, /other/],
    ["such a path within an object", { part: { other: 1 } }, /other/],
    ["such a path within a list", { list: [{ text: "b", other: 1 }] }, /other/],
    ["a number as a text", { part: { number: "1" } }, /part\.number is stored otherwise/],
    ["a time as a number", { at: 0 }, /at is stored otherwise/],
    ["null instead of an absent value", { part: { number: null } }, /part\.number is stored otherwise/],
    ["no value for a required path", { at: null }, /required/],
  ])("with %s are found", async (_, fields, problem) => {
    expect(await mismatchOf(fields)).toMatch(problem);
    await expect(needRowsAsSchemas(url)).rejects.toThrow(problem);
  });
});
