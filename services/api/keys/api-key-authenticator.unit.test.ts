import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { LRUCache } from "lru-cache";
import { type ApiKey, revoked, rotated } from "../domain/api-key.ts";
import { FIRST_KEY_ID, newKeyId, generateKey } from "./key-digests.ts";
import { type ApiKeyAuthenticator, apiKeyAuthenticator, CACHE_TTL_MS } from "./api-key-authenticator.ts";

const HOUR = 3_600_000;
const hashing = { pepper: "a pepper of thirty-two characters", env: "live" };
const { key, secret } = generateKey(hashing, "k");
const stored: ApiKey = {
  id: "k",
  kind: "guild",
  access: "read",
  guilds: ["1"],
  label: "",
  createdAt: 0,
  secrets: [secret],
  revision: 1,
};
const caller = { keyId: "k", kind: "guild", access: "read", guilds: ["1"] };

describe("the API key authenticator", () => {
  let now = 0;
  let row: ApiKey | null;
  let queriedIds: string[];
  let uses: [id: string, hour: number][];
  let failing: boolean;
  let errors: unknown[];
  let authenticator: ApiKeyAuthenticator;

  const store = {
    async find(id: string) {
      queriedIds.push(id);
      if (failing) throw new Error("out of reach");
      return id === row?.id ? row : null;
    },
    async recordUse(id: string, hour: number) {
      uses.push([id, hour]);
      if (failing) throw new Error("out of reach");
    },
  };

  beforeEach(() => {
    now = 1_000 * HOUR;
    row = stored;
    queriedIds = [];
    uses = [];
    errors = [];
    failing = false;
    authenticator = apiKeyAuthenticator({ store, hashing, clock: () => now, onError: (error) => errors.push(error) });
  });

  test("returns the caller of a key, and passes only the id to the store", async () => {
    await expect(authenticator.authenticate(key)).resolves.toEqual(caller);
    expect(queriedIds).toEqual(["k"]);
  });

  test("checks a cached key for its validity, and does not cache an invalid one", async () => {
    await authenticator.authenticate(key);
    row = revoked(stored, now);
    authenticator.forget("k");
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
    row = stored;
    authenticator.forget("k");
    const other = generateKey(hashing, "k").key;
    await expect(Promise.all([other, other, key].map((each) => authenticator.authenticate(each)))).resolves.toEqual([
      undefined,
      undefined,
      caller,
    ]);
  });

  test("refuses a cached key that was rotated without an overlap, and accepts the new one", async () => {
    await authenticator.authenticate(key);
    await authenticator.authenticate(key);
    const next = generateKey(hashing, "k");
    row = rotated(stored, next.secret, 0, now) as ApiKey;
    authenticator.forget("k");
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
    await expect(authenticator.authenticate(next.key)).resolves.toEqual(caller);
  });

  test("refuses a cached key from the millisecond in which it expires, without a query", async () => {
    row = { ...stored, expiresAt: now + 1_000 };
    await authenticator.authenticate(key);
    await expect(authenticator.authenticate(key)).resolves.toEqual(caller);
    now += 1_000;
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
    expect(queriedIds).toEqual(["k"]);
  });

  test("refuses the id of a key with another secret", async () => {
    await expect(authenticator.authenticate(generateKey(hashing, "k").key)).resolves.toBeUndefined();
    expect(uses).toEqual([]);
  });

  test.each([
    ["no key", "abc"],
    ["a mistyped key", key.replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
    ["another installation's key", generateKey({ ...hashing, env: "test" }, "k").key],
  ])("refuses %s without a query", async (_name, presented) => {
    await expect(authenticator.authenticate(presented)).resolves.toBeUndefined();
    expect(queriedIds).toEqual([]);
  });

  test("refuses a key whose digest has another pepper", async () => {
    row = { ...stored, secrets: [generateKey({ ...hashing, pepper: "another" }, "k").secret] };
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
  });

  test("caches a key for less than five seconds, so that a revocation takes effect even without a broadcast", async () => {
    expect(CACHE_TTL_MS).toBeLessThan(5_000);
    await authenticator.authenticate(key);
    row = revoked(stored, now);
    now += CACHE_TTL_MS - 1;
    await expect(authenticator.authenticate(key)).resolves.toBeDefined();
    now += 1;
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
    expect(queriedIds).toHaveLength(2);
  });

  test("refuses a revoked key at once after the broadcast", async () => {
    await authenticator.authenticate(key);
    row = revoked(stored, now);
    authenticator.forget("k");
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
  });

  test("accepts both secrets during the overlap of a rotation, and only the new one afterwards", async () => {
    const next = generateKey(hashing, "k");
    row = rotated(stored, next.secret, HOUR, now) as ApiKey;
    await expect(authenticator.authenticate(key)).resolves.toEqual(caller);
    await expect(authenticator.authenticate(next.key)).resolves.toEqual(caller);
    now += HOUR;
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
    await expect(authenticator.authenticate(next.key)).resolves.toEqual(caller);
  });

  test("refuses an expired key that is in the cache", async () => {
    row = { ...stored, expiresAt: now + 1_000 };
    await expect(authenticator.authenticate(key)).resolves.toBeDefined();
    now += 1_000;
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
    expect(queriedIds).toHaveLength(1);
  });

  test("caches unknown ids, and accepts a key soon after its creation", async () => {
    row = null;
    await authenticator.authenticate(key);
    await expect(authenticator.authenticate(key)).resolves.toBeUndefined();
    expect(queriedIds).toHaveLength(1);
    row = stored;
    now += CACHE_TTL_MS;
    await expect(authenticator.authenticate(key)).resolves.toBeDefined();
  });

  test("queries only known keys if lookups are not allowed", async () => {
    await expect(authenticator.authenticate(key, () => false)).resolves.toBeUndefined();
    expect(queriedIds).toEqual([]);
    await authenticator.authenticate(key);
    now += CACHE_TTL_MS;
    await expect(authenticator.authenticate(key, () => false)).resolves.toEqual(caller);
    expect(queriedIds).toHaveLength(2);
  });

  test("queries only ids with a signature of this installation if lookups are not allowed", async () => {
    for (const id of [newKeyId(hashing.pepper), FIRST_KEY_ID]) {
      const made = generateKey(hashing, id);
      row = { ...stored, id, secrets: [made.secret] };
      await expect(authenticator.authenticate(made.key, () => false)).resolves.toEqual({ ...caller, keyId: id });
    }
    queriedIds = [];
    for (const id of [newKeyId("another pepper"), "0".repeat(20), "first0"]) {
      await expect(authenticator.authenticate(generateKey(hashing, id).key, () => false)).resolves.toBeUndefined();
    }
    expect(queriedIds).toEqual([]);
  });

  test("queries a key once for many concurrent requests", async () => {
    await Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(key)));
    expect(queriedIds).toHaveLength(1);
    expect(uses).toHaveLength(1);
  });

  test("rejects if the store is unavailable, and does not cache that", async () => {
    failing = true;
    await expect(authenticator.authenticate(key)).rejects.toThrow("out of reach");
    failing = false;
    await expect(authenticator.authenticate(key)).resolves.toBeDefined();
  });

  test("stores the hour of the last use once an hour", async () => {
    await authenticator.authenticate(key);
    now += HOUR - 1;
    await authenticator.authenticate(key);
    now += 1;
    row = { ...stored, lastUsedAt: 1_000 * HOUR };
    await authenticator.authenticate(key);
    expect(uses).toEqual([
      ["k", 1_000 * HOUR],
      ["k", 1_000 * HOUR],
      ["k", 1_001 * HOUR],
    ]);
  });

  test("accepts a key if the time of its use cannot be stored, and reports the error", async () => {
    await authenticator.authenticate(key);
    failing = true;
    now += 1;
    authenticator.forget("none");
    const authenticatorWithFailures = apiKeyAuthenticator({
      store: { ...store, find: async () => stored },
      hashing,
      clock: () => now,
      onError: (error) => errors.push(error),
    });
    await expect(authenticatorWithFailures.authenticate(key)).resolves.toEqual(caller);
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toMatchObject([{ message: "out of reach" }]);
  });

  test("evicts no existing key because of a flood of invented ids", async () => {
    await authenticator.authenticate(key);
    const flood = Array.from({ length: 10_001 }, () => generateKey(hashing, newKeyId(hashing.pepper)).key);
    for (const each of flood) await authenticator.authenticate(each);
    queriedIds = [];
    await authenticator.authenticate(key);
    await authenticator.authenticate(flood[1]!);
    expect(queriedIds).toEqual([]);
    await authenticator.authenticate(flood[0]!);
    expect(queriedIds).toHaveLength(1);
  });

  test("keeps no text of a key in memory, neither in cache keys nor in cached values", async () => {
    const configured = "a-key-of-the-configuration";
    authenticator = apiKeyAuthenticator({ store, hashing, configured, clock: () => now, onError: () => undefined });
    const kept = jest.spyOn(LRUCache.prototype, "set");
    for (const each of [key, key, configured]) await authenticator.authenticate(each);
    const entries = kept.mock.calls.map((entry) => JSON.stringify(entry));
    kept.mockRestore();
    const opening = entries.filter((entry) => entry.includes(secret.digest));
    expect(opening.length).toBeGreaterThan(0);
    const [, , , secretText = ""] = key.split("_");
    expect(entries.filter((entry) => [secretText, configured].some((text) => entry.includes(text)))).toEqual([]);
  });

  test("accepts the configured key as an operator's, without a query", async () => {
    const configured = "a-key-of-the-configuration";
    authenticator = apiKeyAuthenticator({ store, hashing, configured, clock: () => now, onError: () => undefined });
    await expect(authenticator.authenticate(configured)).resolves.toMatchObject({
      keyId: "configured",
      kind: "operator",
    });
    await expect(authenticator.authenticate(`${configured}x`)).resolves.toBeUndefined();
    expect(queriedIds).toEqual([]);
  });
});
