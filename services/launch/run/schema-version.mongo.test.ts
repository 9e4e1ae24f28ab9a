import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { SCHEMA_ROW, SCHEMA_VERSION, type SchemaVersions, storeKnownVersions } from "./schema-version.ts";

const FOUND: SchemaVersions = { newest: SCHEMA_VERSION, oldest: SCHEMA_VERSION };

describe("the row with the schema versions, if another release has written it after this one has read it", () => {
  let connection: Connection;

  beforeAll(async () => void (connection = await mongoose.createConnection(emptyDatabase()).asPromise()));
  afterAll(() => connection.close());

  async function stored(row: SchemaVersions): Promise<{ isStored: boolean; versions: SchemaVersions | null }> {
    const rows = connection.collection<SchemaVersions & { _id: string }>("schema_version_test");
    await rows.deleteMany({});
    await rows.insertOne({ _id: SCHEMA_ROW, ...row });
    const isStored = await storeKnownVersions(rows, FOUND);
    return { isStored, versions: await rows.findOne({ _id: SCHEMA_ROW }, { projection: { _id: 0 } }) };
  }

  test("stays as it is if this release does not know the newest version", async () => {
    const row = { newest: SCHEMA_VERSION + 2, oldest: SCHEMA_VERSION + 1 };
    expect(await stored(row)).toEqual({ isStored: false, versions: row });
  });

  test("stays as it is if this release does not know the oldest version", async () => {
    const row = { newest: SCHEMA_VERSION - 1, oldest: SCHEMA_VERSION - 2 };
    expect(await stored(row)).toEqual({ isStored: false, versions: row });
  });

  test("gets the version of this release if it knows both", async () => {
    const row = { newest: SCHEMA_VERSION - 1, oldest: SCHEMA_VERSION - 1 };
    const versions = { newest: SCHEMA_VERSION, oldest: SCHEMA_VERSION - 1 };
    expect(await stored(row)).toEqual({ isStored: true, versions });
  });
});
