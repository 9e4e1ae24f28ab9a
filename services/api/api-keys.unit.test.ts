import { beforeEach, describe, expect, test } from "@jest/globals";
import { digestOf, type KeyRing, keyRing, newKey, presentedKey } from "./api-keys.ts";
import type { StoredKey } from "./api-keys.store.ts";

const key = newKey("k");
const stored: StoredKey = {
  _id: "k",
  hash: digestOf(key),
  kind: "guild",
  access: "read",
  guilds: ["1"],
  label: "",
  createdAt: new Date(0),
};

describe("the key ring", () => {
  let now = 0;
  let row: StoredKey | null;
  let asked: string[];
  let failing: boolean;
  let ring: KeyRing;

  beforeEach(() => {
    now = 1_000_000;
    row = stored;
    asked = [];
    failing = false;
    const findByHash = async (digest: string) => {
      asked.push(digest);
      if (failing) throw new Error("out of reach");
      return digest === row?.hash ? row : null;
    };
    ring = keyRing({ findByHash }, () => now);
  });

  test("says who holds a key, and asks the store by its digest alone", async () => {
    const caller = { keyId: "k", kind: "guild", access: "read", guilds: ["1"] };
    await expect(ring.authenticate(key)).resolves.toEqual(caller);
    expect(asked).toEqual([digestOf(key)]);
    expect(digestOf(key)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("believes an answer for five seconds and no longer: a revocation shows by then", async () => {
    await ring.authenticate(key);
    row = { ...stored, revokedAt: new Date(now) };
    now += 4_999;
    await expect(ring.authenticate(key)).resolves.toBeDefined();
    now += 1;
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  test("a key ends at its instant, however fresh the answer is", async () => {
    row = { ...stored, expiresAt: new Date(now + 1_000) };
    await expect(ring.authenticate(key)).resolves.toBeDefined();
    now += 1_000;
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test("an unknown key is remembered too, and shows within five seconds once it is made", async () => {
    row = null;
    await ring.authenticate(key);
    await expect(ring.authenticate(key)).resolves.toBeUndefined();
    expect(asked).toHaveLength(1);
    row = stored;
    now += 5_000;
    await expect(ring.authenticate(key)).resolves.toBeDefined();
  });

  test("many requests with one key at the same moment ask once", async () => {
    await Promise.all(Array.from({ length: 50 }, () => ring.authenticate(key)));
    expect(asked).toHaveLength(1);
  });

  test("a store out of reach is an error, and is not remembered as an answer", async () => {
    failing = true;
    await expect(ring.authenticate(key)).rejects.toThrow("out of reach");
    failing = false;
    await expect(ring.authenticate(key)).resolves.toBeDefined();
  });

  test("a flood of made-up keys pushes out none that is held, and is forgotten itself", async () => {
    await ring.authenticate(key);
    for (let at = 0; at < 10_001; at += 1) await ring.authenticate(`made-up ${at}`);
    asked = [];
    await ring.authenticate(key);
    await ring.authenticate("made-up 1");
    expect(asked).toEqual([]);
    await ring.authenticate("made-up 0");
    expect(asked).toHaveLength(1);
  });
});

describe("the key of a request", () => {
  test.each([
    ["abc", "abc"],
    ["Bearer abc", "abc"],
    ["bEARER  abc", "abc"],
    ["Basic abc", undefined],
    ["Bearer a b", undefined],
    ["", undefined],
    [undefined, undefined],
    ["ä", undefined],
    ["x".repeat(513), undefined],
  ])("%p is %p (D3)", (header, expected) => {
    expect(presentedKey(header)).toBe(expected);
  });

  test("a new key has its id in it and 256 random bits", () => {
    expect(newKey("k")).toMatch(/^gc_k_[\w-]{43}$/);
    expect(newKey("k")).not.toBe(newKey("k"));
  });
});
