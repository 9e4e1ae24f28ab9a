import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { keyDigest, newKeyId, pepperId, sameDigest, generateKey } from "./key-digests.ts";
import { decodeKey, encodeKey, MALFORMED_KEY, presentedKey } from "./key-text.ts";

const hashing = { pepper: "a pepper of thirty-two characters", env: "live" };

describe("the text of a key", () => {
  test("is gc_<env>_<id>_<secret>_<checksum>, and is decoded to the same parts", () => {
    const word = (most: number) => fc.stringMatching(new RegExp(`^[a-z0-9]{1,${most}}$`));
    fc.assert(
      fc.property(word(16), word(32), fc.stringMatching(/^[0-9a-f]{64}$/), (env, id, secret) => {
        expect(decodeKey(encodeKey({ env, id, secret }))).toEqual({ env, id, secret });
      }),
    );
    expect(generateKey(hashing, "k1").key).toMatch(/^gc_live_k1_[0-9a-f]{64}_[0-9a-f]{8}$/);
  });

  test("is invalid after a change of one character", () => {
    const { key } = generateKey(hashing, newKeyId(hashing.pepper));
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === "0" ? "1" : "0";
      expect(decodeKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined();
    }
    expect([decodeKey(`${key}0`), decodeKey(key.slice(1)), decodeKey(""), decodeKey(`${key}\n`)]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });

  test.each(["abc", "Bearer abc", "bEARER  abc", " abc\t", "Bearer abc "])(
    "is read from the header %p (D3)",
    (header) => {
      expect(presentedKey(header)).toEqual({ key: "abc" });
    },
  );

  test.each([
    [undefined, "The header Authorization is missing: send `Authorization: Bearer <key>`"],
    ["", "The header Authorization contains no key: send `Authorization: Bearer <key>`"],
    ["Bearer", "The header Authorization contains no key: send `Authorization: Bearer <key>`"],
    ["bearer  ", "The header Authorization contains no key: send `Authorization: Bearer <key>`"],
    ["Basic YWJj", "The scheme of the header Authorization is not Bearer: send `Authorization: Bearer <key>`"],
    ["Token a b", "The scheme of the header Authorization is not Bearer: send `Authorization: Bearer <key>`"],
    ["Bearer a b", MALFORMED_KEY],
    ["ä", MALFORMED_KEY],
    ["x".repeat(513), MALFORMED_KEY],
  ])("is not found in the header %.20p, and the error describes the problem of the header", (header, problem) => {
    expect(presentedKey(header)).toEqual({ problem });
  });
});

describe("the digest of a key", () => {
  test("depends on the pepper, and does not contain the key", () => {
    const { key, secret } = generateKey(hashing, "k1");
    expect(secret).toEqual({ digest: keyDigest(hashing.pepper, key), pepperId: pepperId(hashing.pepper) });
    expect(secret.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(keyDigest("another pepper", key)).not.toBe(secret.digest);
    expect(pepperId("another pepper")).not.toBe(secret.pepperId);
  });

  test("is of a key with 256 random bits", () => {
    const keys = Array.from({ length: 50 }, () => generateKey(hashing, "k1").key);
    expect(new Set(keys).size).toBe(50);
    expect(new Set(Array.from({ length: 50 }, () => newKeyId(hashing.pepper))).size).toBe(50);
  });

  test("equals another digest only in all characters", () => {
    expect(sameDigest("abc", "abc")).toBe(true);
    expect([sameDigest("abc", "abd"), sameDigest("abc", "ab"), sameDigest("", "a")]).toEqual([false, false, false]);
  });
});
