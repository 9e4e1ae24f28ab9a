import { describe, expect, test } from "@jest/globals";
import { isRefusal } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type ApiKey, hourOf, validSecrets, newApiKey, previousUntil, revoked, rotated } from "./api-key.ts";

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const secret = (digest: string) => ({ digest, pepperId: "p" });
const params = { kind: "guild", access: "read", guilds: ["1" as GuildId], label: "bot" } as const;
const key = newApiKey("k", params, secret("a"), NOW) as ApiKey;

function mustBe(outcome: ApiKey | object): ApiKey {
  if (isRefusal(outcome)) throw new Error(outcome.refusal);
  return outcome as ApiKey;
}

const opening = (of: ApiKey, at: number) => validSecrets(of, at).map(({ digest }) => digest);

describe("an API key", () => {
  test("is valid from its creation until the millisecond in which it expires", () => {
    const ending = mustBe(newApiKey("k", { ...params, expiresAt: NOW + 5 }, secret("a"), NOW));
    expect([opening(key, NOW), opening(key, NOW + 1e15)]).toEqual([["a"], ["a"]]);
    expect([opening(ending, NOW + 4), opening(ending, NOW + 5)]).toEqual([["a"], []]);
  });

  test.each([NOW, NOW - 1])("is refused at its creation if it has expired already: %d", (expiresAt) => {
    expect(newApiKey("k", { ...params, expiresAt }, secret("a"), NOW)).toMatchObject({
      refusal: "INVALID_REQUEST",
      problems: [{ field: "expiresAt" }],
    });
  });

  test("has two valid secrets during the overlap of a rotation, and only the new one afterwards", () => {
    const next = mustBe(rotated(key, secret("b"), HOUR, NOW));
    expect([opening(next, NOW), opening(next, NOW + HOUR - 1)]).toEqual([
      ["b", "a"],
      ["b", "a"],
    ]);
    expect(opening(next, NOW + HOUR)).toEqual(["b"]);
    expect([previousUntil(next, NOW), previousUntil(next, NOW + HOUR)]).toEqual([NOW + HOUR, undefined]);
    expect(next.revision).toBe(2);
  });

  test("is not rotated during an overlap, except with an overlap of 0, which ends all other secrets", () => {
    const twice = mustBe(rotated(key, secret("b"), HOUR, NOW));
    expect(rotated(twice, secret("c"), HOUR, NOW)).toEqual({ refusal: "KEY_ROTATING" });
    expect(opening(mustBe(rotated(twice, secret("c"), 0, NOW)), NOW)).toEqual(["c"]);
    const later = mustBe(rotated(twice, secret("c"), HOUR, NOW + HOUR));
    expect(opening(later, NOW + HOUR)).toEqual(["c", "b"]);
    expect(later.secrets).toHaveLength(2);
  });

  test("is not valid from its first revocation on, and cannot be rotated then", () => {
    const over = revoked(mustBe(rotated(key, secret("b"), HOUR, NOW)), NOW + 1);
    expect(opening(over, NOW)).toEqual([]);
    expect(revoked(over, NOW + 9).revokedAt).toBe(NOW + 1);
    expect(rotated(over, secret("c"), 0, NOW)).toEqual({ refusal: "KEY_OVER" });
  });

  test("has the time of its last use in hours", () => {
    expect([hourOf(NOW), hourOf(NOW + HOUR - 1), hourOf(NOW + HOUR)]).toEqual([NOW, NOW, NOW + HOUR]);
  });
});
