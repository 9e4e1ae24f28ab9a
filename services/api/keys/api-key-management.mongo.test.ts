import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { KEY_HASHING } from "../../../test/harness/test-gateway.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { until } from "../../../test/harness/until.ts";
import { DeadlinePassed, runInWriteContext } from "../../../mixins/mongo/write-context.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type ApiKeysStore, apiKeysStore } from "./api-keys.store.ts";
import { pepperId } from "./key-digests.ts";
import { ensureFirstKey, type ApiKeyManagement, apiKeyManagement } from "./api-key-management.ts";
import { type ApiKeyAuthenticator, apiKeyAuthenticator } from "./api-key-authenticator.ts";

const params = { kind: "guild", access: "write", guilds: ["7" as GuildId], label: "bot" } as const;

describe("the API key management", () => {
  let connection: Connection;
  let store: ApiKeysStore;
  let management: ApiKeyManagement;
  let authenticator: ApiKeyAuthenticator;

  beforeEach(async () => {
    connection = await mongoose.createConnection(emptyDatabase()).asPromise();
    store = apiKeysStore(connection);
    for (const model of Object.values(connection.models)) await model.createIndexes();
    management = apiKeyManagement(store, KEY_HASHING);
    authenticator = apiKeyAuthenticator({ store, hashing: KEY_HASHING, onError: () => undefined });
  });
  afterEach(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  async function made(): Promise<{ id: string; key: string }> {
    const issued = await management.create(params, "someone");
    if (isRefusal(issued)) throw new Error(issued.refusal);
    return issued;
  }

  /** The whole content of the database, as text. */
  async function everything(): Promise<string> {
    const names = ["api_keys", "api_key_changes"];
    return JSON.stringify(await Promise.all(names.map((name) => connection.collection(name).find().toArray())));
  }

  test("creates a key with the requested access, and stores nothing that can be used as a key", async () => {
    const { id, key } = await made();
    await expect(authenticator.authenticate(key)).resolves.toEqual({
      keyId: id,
      kind: "guild",
      access: "write",
      guilds: ["7"],
    });
    const text = await everything();
    const [, , , secret] = key.split("_");
    expect(text).toContain(id);
    expect([text.includes(key), text.includes(secret!), text.includes(KEY_HASHING.pepper)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("lists keys without their secrets, with the hour of their last use", async () => {
    const { id, key } = await made();
    await authenticator.authenticate(key);
    const keys = async () => {
      const page = await management.list({});
      return isRefusal(page) ? [] : page.keys;
    };
    await until(async () => (await keys())[0]?.lastUsedAt !== undefined, "the use is noted");
    const [listed, ...others] = await keys();
    expect(others).toEqual([]);
    expect(listed).toEqual({ ...params, id, createdAt: expect.any(Number), lastUsedAt: expect.any(Number) });
    expect(listed!.lastUsedAt! % 3_600_000).toBe(0);
  });

  test("lists keys a page at a time, and refuses a page of more than 4 MiB (D38)", async () => {
    const guilds = Array.from({ length: 1_000 }, (_, at) => String(10 ** 18 + at) as GuildId);
    const issued = [];
    for (let at = 0; at < 205; at += 1) issued.push(await management.create({ ...params, guilds }, "test"));
    const ids: string[] = [];
    for (let before = {}; ;) {
      const page = await management.list({ amount: 100, ...before });
      if (isRefusal(page)) throw new Error(page.refusal);
      ids.push(...page.keys.map(({ id }) => id));
      if (page.next === undefined) break;
      before = { before: page.next };
    }
    expect(ids.toSorted()).toEqual(issued.flatMap((one) => (isRefusal(one) ? [] : [one.id])).toSorted());
    await expect(management.list({})).resolves.toMatchObject({
      refusal: "TOO_MANY_ENTRIES",
      problems: [{ field: "amount", code: "TOO_MANY" }],
    });
  });

  test("records every change with its author, and no refused change", async () => {
    const { id } = await made();
    await management.rotate(id, 5, "one");
    await expect(management.rotate(id, 5, "two")).resolves.toMatchObject({ refusal: "KEY_ROTATING" });
    await management.revoke(id, "three");
    await expect(management.rotate(id, 0, "four")).resolves.toMatchObject({ refusal: "KEY_OVER" });
    const { changes, next } = await management.changes({ id });
    expect(changes.map(({ change, by }) => [change, by])).toEqual([
      ["revoked", "three"],
      ["rotated", "one"],
      ["created", "someone"],
    ]);
    expect(changes[0]).toEqual({ ...params, keyId: id, change: "revoked", by: "three", at: expect.any(Number) });
    expect(next).toBeUndefined();
  });

  test("lists changes a page at a time, each once, also those of the same millisecond", async () => {
    const still = apiKeyManagement(store, KEY_HASHING, () => 1_000);
    for (let at = 0; at < 5; at += 1) await still.create(params, `${at}`);
    await made();
    const authors: string[] = [];
    let before: string | undefined;
    do {
      const page = await management.changes({ amount: 2, ...(before === undefined ? {} : { before }) });
      expect(page.changes).toHaveLength(2);
      authors.push(...page.changes.map(({ by }) => by));
      before = page.next;
    } while (before !== undefined);
    expect(authors[0]).toBe("someone");
    expect(authors.toSorted()).toEqual(["0", "1", "2", "3", "4", "someone"]);
  });

  test("performs one of many concurrent rotations, and its secret is valid", async () => {
    const { id, key } = await made();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => management.rotate(id, 1, "someone")));
    const issuedKeys = outcomes.flatMap((each) => (isRefusal(each) ? [] : [each.key]));
    expect(issuedKeys).toHaveLength(1);
    await expect(authenticator.authenticate(issuedKeys[0]!)).resolves.toBeDefined();
    await expect(authenticator.authenticate(key)).resolves.toBeDefined();
    expect((await management.changes({ id })).changes).toHaveLength(2);
  });

  test.each(["nobody", "", "__proto__", "x".repeat(5000)])("refuses an unknown key: %.20p", async (id) => {
    await expect(management.rotate(id, 1, "someone")).resolves.toEqual({ refusal: "KEY_NOT_FOUND" });
    await expect(management.revoke(id, "someone")).resolves.toEqual({ refusal: "KEY_NOT_FOUND" });
  });

  test("revokes a key within five seconds even without a broadcast", async () => {
    const { id, key } = await made();
    await expect(authenticator.authenticate(key)).resolves.toBeDefined();
    await management.revoke(id, "someone");
    await until(async () => (await authenticator.authenticate(key)) === undefined, "the key opens nothing", 5_000);
  });

  test("creates the first key once, even if several gateways start at the same moment", async () => {
    const issued = await Promise.all(Array.from({ length: 5 }, () => ensureFirstKey(store, management, undefined)));
    const [first, ...others] = issued.filter((each) => each !== undefined);
    expect(others).toEqual([]);
    await expect(authenticator.authenticate(first!)).resolves.toMatchObject({ kind: "operator", access: "write" });
    await expect(ensureFirstKey(store, management, undefined)).resolves.toBeUndefined();
    expect((await management.changes({ id: "first" })).changes).toHaveLength(1);
  });

  test("has MongoDB remove a key a year after its revocation or expiry, stores its changes, and creates no first key again", async () => {
    const year = 365 * 86_400_000;
    const expiresAt = Date.now() + 60_000;
    const expiring = await management.create({ ...params, expiresAt }, "someone");
    const { id } = await made();
    await made();
    await management.revoke(id, "someone");
    const keys = connection.collection<{ _id: string; revokedAt?: number; removeAt?: Date }>("api_keys");
    const revoked = await keys.findOne({ _id: id });
    expect(revoked!.removeAt!.getTime()).toBe(revoked!.revokedAt! + year);
    const ofExpiring = await keys.findOne({ _id: (expiring as { readonly id: string }).id });
    expect(ofExpiring!.removeAt!.getTime()).toBe(expiresAt + year);
    expect(await keys.countDocuments({ removeAt: { $exists: true } })).toBe(2);
    expect(await keys.indexes()).toContainEqual(
      expect.objectContaining({ key: { removeAt: 1 }, expireAfterSeconds: 0 }),
    );
    expect(JSON.stringify(await management.list({}))).not.toContain("removeAt");

    await keys.deleteMany({});
    expect((await management.changes({})).changes).toHaveLength(4);
    await expect(ensureFirstKey(store, management, undefined)).resolves.toBeUndefined();
  });

  test("creates no first key if one is configured, or if the first one was revoked", async () => {
    await expect(ensureFirstKey(store, management, "configured")).resolves.toBeUndefined();
    expect(await store.isEmpty()).toBe(true);
    await ensureFirstKey(store, management, undefined);
    await management.revoke("first", "someone");
    await expect(ensureFirstKey(store, management, undefined)).resolves.toBeUndefined();
  });

  test("changes nothing after the write deadline", async () => {
    const { id } = await made();
    const before = await everything();
    const late = (work: () => Promise<unknown>) => runInWriteContext({ deadline: Date.now() - 1 }, work);
    const writes = [
      () => management.create(params, "late"),
      () => management.rotate(id, 1, "late"),
      () => management.revoke(id, "late"),
    ];
    for (const write of writes) await expect(late(write)).rejects.toThrow(DeadlinePassed);
    expect(await everything()).toBe(before);
  });

  test("counts the keys with another pepper", async () => {
    await made();
    expect(await store.countWithOtherPepper(pepperId(KEY_HASHING.pepper))).toBe(0);
    expect(await store.countWithOtherPepper(pepperId("another"))).toBe(1);
  });
});
