import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import { LRUCache } from "lru-cache";
import { type ApiKey, revoked, rotated } from "../domain/api-key.ts";
import { FIRST_ID, newId, sealNewKey } from "./key-digests.ts";
import { type KeyRing, keyRing, REMEMBERED_MS } from "./key-ring.ts";

const HOUR = 3_600_000;
const seal = { pepper: "a pepper of thirty-two characters", env: "live" };
const { key, secret } = sealNewKey(seal, "k");
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

describe("the key ring", () => {
  let now = 0;
  let row: ApiKey | null;
  let asked: string[];
  let noted: [id: string, hour: number][];
  let failing: boolean;
  let errors: unknown[];
  let ring: KeyRing;

  const store = {
    async find(id: string) {
      asked.push(id);
      if (failing) throw new Error("out of reach");
      return id === row?.id ? row : null;
    },
    async noteUse(id: string, hour: number) {
      noted.push([id, hour]);
      if (failing) throw new Error("out of reach");
    },
  };

  beforeEach(() => {
    now = 1_000 * HOUR;
    row = stored;
    asked = [];
    noted = [];
    errors = [];
    failing = false;
    ring = keyRing({ store, seal, clock: () => now, onError: (error) => errors.push(error) });
  });

  test("says who holds a key, and asks the store by its id alone", async () => {
    await expect(ring.authenticate(key)).resolves.toEqual(caller);
    expect(asked).toEqual(["k"]);
  });

  test("a key that opened once is looked up like any other, and one that never did is not known for it", async () => {
    await ring.authenticate(key);
    row = revoked(stored, now);
    ring.forget("k");
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    row = stored;
    ring.forget("k");
    const other = sealNewKey(seal, "k").key;
    await expect(Promise.all([other, other, key].map((each) => ring.authenticate(each)))).resolves.toEqual([
      undefined,
      undefined,
      caller,
    ]);
  });

  test("a key that opened and was rotated without an overlap opens nothing any more, and the new one does", async () => {
    await ring.authenticate(key);
    await ring.authenticate(key);
    const next = sealNewKey(seal, "k");
    row = rotated(stored, next.secret, 0, now) as ApiKey;
    ring.forget("k");
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    await expect(ring.authenticate(next.key)).resolves.toEqual(caller);
  });

  test("a key that opened is over in the moment in which its time is, and nobody is asked", async () => {
    row = { ...stored, expiresAt: now + 1_000 };
    await ring.authenticate(key);
    await expect(ring.authenticate(key)).resolves.toEqual(caller);
    now += 1_000;
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    expect(asked).toEqual(["k"]);
  });

  test("the right id with another secret opens nothing", async () => {
    await expect(ring.authenticate(sealNewKey(seal, "k").key)).resolves.toBeUndefined();
    expect(noted).toEqual([]);
  });

  test.each([
    ["no key", "abc"],
    ["a mistyped key", key.replace(/.$/, (last) => (last === "0" ? "1" : "0"))],
    ["another installation's key", sealNewKey({ ...seal, env: "test" }, "k").key],
  ])("%s is told by its look, without the store", async (_name, presented) => {
    await expect(ring.authenticate(presented)).resolves.toBeUndefined();
    expect(asked).toEqual([]);
  });

  test("a digest that another pepper made opens nothing", async () => {
    row = { ...stored, secrets: [sealNewKey({ ...seal, pepper: "another" }, "k").secret] };
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
  });

  test("believes an answer for less than five seconds: a revocation shows by then, told or not", async () => {
    expect(REMEMBERED_MS).toBeLessThan(5_000);
    await ring.authenticate(key);
    row = revoked(stored, now);
    now += REMEMBERED_MS - 1;
    await expect(ring.authenticate(key)).resolves.toBeDefined();
    now += 1;
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test("a revocation that it is told of shows at once", async () => {
    await ring.authenticate(key);
    row = revoked(stored, now);
    ring.forget("k");
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
  });

  test("while a key is rotated both secrets open it, and then the new one alone", async () => {
    const next = sealNewKey(seal, "k");
    row = rotated(stored, next.secret, HOUR, now) as ApiKey;
    await expect(ring.authenticate(key)).resolves.toEqual(caller);
    await expect(ring.authenticate(next.key)).resolves.toEqual(caller);
    now += HOUR;
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    await expect(ring.authenticate(next.key)).resolves.toEqual(caller);
  });

  test("a key ends at its instant, however fresh the answer is", async () => {
    row = { ...stored, expiresAt: now + 1_000 };
    await expect(ring.authenticate(key)).resolves.toBeDefined();
    now += 1_000;
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test("an unknown id is remembered too, and its key opens soon after it is made", async () => {
    row = null;
    await ring.authenticate(key);
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    expect(asked).toHaveLength(1);
    row = stored;
    now += REMEMBERED_MS;
    await expect(ring.authenticate(key)).resolves.toBeDefined();
  });

  test("a store that may not be asked is asked about the keys alone that are known here", async () => {
    await expect(ring.authenticate(key, () => false)).resolves.toBeUndefined();
    expect(asked).toEqual([]);
    await ring.authenticate(key);
    now += REMEMBERED_MS;
    await expect(ring.authenticate(key, () => false)).resolves.toEqual(caller);
    expect(asked).toHaveLength(2);
  });

  test("a store that is spared made-up ids is asked for those that were made here: nobody is shut out by others", async () => {
    for (const id of [newId(seal.pepper), FIRST_ID]) {
      const made = sealNewKey(seal, id);
      row = { ...stored, id, secrets: [made.secret] };
      await expect(ring.authenticate(made.key, () => false)).resolves.toEqual({ ...caller, keyId: id });
    }
    asked = [];
    for (const id of [newId("another pepper"), "0".repeat(20), "first0"]) {
      await expect(ring.authenticate(sealNewKey(seal, id).key, () => false)).resolves.toBeUndefined();
    }
    expect(asked).toEqual([]);
  });

  test("many requests with one key at the same moment ask once", async () => {
    await Promise.all(Array.from({ length: 50 }, () => ring.authenticate(key)));
    expect(asked).toHaveLength(1);
    expect(noted).toHaveLength(1);
  });

  test("a store out of reach is an error, and is not remembered as an answer", async () => {
    failing = true;
    await expect(ring.authenticate(key)).rejects.toThrow("out of reach");
    failing = false;
    await expect(ring.authenticate(key)).resolves.toBeDefined();
  });

  test("a use is noted once an hour, by its hour", async () => {
    await ring.authenticate(key);
    now += HOUR - 1;
    await ring.authenticate(key);
    now += 1;
    row = { ...stored, lastUsedAt: 1_000 * HOUR };
    await ring.authenticate(key);
    expect(noted).toEqual([
      ["k", 1_000 * HOUR],
      ["k", 1_000 * HOUR],
      ["k", 1_001 * HOUR],
    ]);
  });

  test("a use that can't be noted is told, and the request goes on", async () => {
    await ring.authenticate(key);
    failing = true;
    now += 1;
    ring.forget("none");
    const ringOfFailures = keyRing({
      store: { ...store, find: async () => stored },
      seal,
      clock: () => now,
      onError: (error) => errors.push(error),
    });
    await expect(ringOfFailures.authenticate(key)).resolves.toEqual(caller);
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toMatchObject([{ message: "out of reach" }]);
  });

  test("a flood of made-up keys pushes out none that is held, and is forgotten itself", async () => {
    await ring.authenticate(key);
    const flood = Array.from({ length: 10_001 }, () => sealNewKey(seal, newId(seal.pepper)).key);
    for (const each of flood) await ring.authenticate(each);
    asked = [];
    await ring.authenticate(key);
    await ring.authenticate(flood[1]!);
    expect(asked).toEqual([]);
    await ring.authenticate(flood[0]!);
    expect(asked).toHaveLength(1);
  });

  test("no key that was presented is kept in memory, neither as a cache key nor in a cached value", async () => {
    const configured = "a-key-of-the-configuration";
    ring = keyRing({ store, seal, configured, clock: () => now, onError: () => undefined });
    const kept = jest.spyOn(LRUCache.prototype, "set");
    for (const each of [key, key, configured]) await ring.authenticate(each);
    const entries = kept.mock.calls.map((entry) => JSON.stringify(entry));
    kept.mockRestore();
    const opening = entries.filter((entry) => entry.includes(secret.digest));
    expect(opening.length).toBeGreaterThan(0);
    const [, , , secretText = ""] = key.split("_");
    expect(entries.filter((entry) => [secretText, configured].some((text) => entry.includes(text)))).toEqual([]);
  });

  test("a configured key is an operator's, by itself alone, and the store is not asked", async () => {
    const configured = "a-key-of-the-configuration";
    ring = keyRing({ store, seal, configured, clock: () => now, onError: () => undefined });
    await expect(ring.authenticate(configured)).resolves.toMatchObject({ keyId: "configured", kind: "operator" });
    await expect(ring.authenticate(`${configured}x`)).resolves.toBeUndefined();
    expect(asked).toEqual([]);
  });
});
