import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { emptyDatabase } from "../../test/real-parts/test-services.ts";
import { digestOf, ensureFirstKey } from "./api-keys.ts";
import { type ApiKeysStore, apiKeysStore } from "./api-keys.store.ts";

const CONFIGURED = "a-key-of-the-configuration";
const ANOTHER = "another-key-of-the-configuration";

describe("the keys of a start", () => {
  let connection: Connection;
  let store: ApiKeysStore;

  beforeEach(async () => {
    connection = await mongoose.createConnection(emptyDatabase()).asPromise();
    store = apiKeysStore(connection);
    for (const model of Object.values(connection.models)) await model.createIndexes();
  });
  afterEach(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  const find = (key: string) => store.findByHash(digestOf(key));

  test("the very first one makes an operator's key and shows it once; it is stored as its hash alone", async () => {
    const key = await ensureFirstKey(store, undefined);
    expect(key).toMatch(/^gc_first_/);
    await expect(find(key!)).resolves.toMatchObject({ kind: "operator", access: "write" });
    await expect(ensureFirstKey(store, undefined)).resolves.toBeUndefined();
    const rows = await connection.collection("api_keys").find().toArray();
    expect(JSON.stringify(rows)).not.toContain(key!.slice("gc_first_".length));
  });

  test("of two gateways that start at the same moment, one makes it", async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => ensureFirstKey(store, undefined)));
    const made = keys.filter((key) => key !== undefined);
    expect(made).toHaveLength(1);
    await expect(find(made[0]!)).resolves.not.toBeNull();
  });

  test("a configured key is valid as long as it is configured, and no other is made beside it", async () => {
    await expect(ensureFirstKey(store, CONFIGURED)).resolves.toBeUndefined();
    await expect(find(CONFIGURED)).resolves.toMatchObject({ kind: "operator" });
    await ensureFirstKey(store, ANOTHER);
    await expect(Promise.all([find(CONFIGURED), find(ANOTHER)])).resolves.toMatchObject([null, { access: "write" }]);
    await expect(ensureFirstKey(store, undefined)).resolves.toMatch(/^gc_first_/);
    await expect(find(ANOTHER)).resolves.toBeNull();
  });

  test("a revoked key stays known as revoked, so that no first key is made in its place", async () => {
    const key = (await ensureFirstKey(store, undefined))!;
    await store.revoke("first", new Date(5));
    await store.revoke("first", new Date(9));
    await expect(find(key)).resolves.toMatchObject({ revokedAt: new Date(5) });
    await expect(ensureFirstKey(store, undefined)).resolves.toBeUndefined();
  });
});
