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
  test("opens from when it is made on, until it expires and no millisecond longer", () => {
    const ending = mustBe(newApiKey("k", { ...params, expiresAt: NOW + 5 }, secret("a"), NOW));
    expect([opening(key, NOW), opening(key, NOW + 1e15)]).toEqual([["a"], ["a"]]);
    expect([opening(ending, NOW + 4), opening(ending, NOW + 5)]).toEqual([["a"], []]);
  });

  test.each([NOW, NOW - 1])("one that would be over at once is refused: %d", (expiresAt) => {
    expect(newApiKey("k", { ...params, expiresAt }, secret("a"), NOW)).toMatchObject({
      refusal: "INVALID_REQUEST",
      problems: [{ field: "expiresAt" }],
    });
  });

  test("has two live secrets while it is rotated, and then the new one alone", () => {
    const next = mustBe(rotated(key, secret("b"), HOUR, NOW));
    expect([opening(next, NOW), opening(next, NOW + HOUR - 1)]).toEqual([
      ["b", "a"],
      ["b", "a"],
    ]);
    expect(opening(next, NOW + HOUR)).toEqual(["b"]);
    expect([previousUntil(next, NOW), previousUntil(next, NOW + HOUR)]).toEqual([NOW + HOUR, undefined]);
    expect(next.revision).toBe(2);
  });

  test("is not rotated while a rotation is under way, but by ending every other secret at once", () => {
    const twice = mustBe(rotated(key, secret("b"), HOUR, NOW));
    expect(rotated(twice, secret("c"), HOUR, NOW)).toEqual({ refusal: "KEY_ROTATING" });
    expect(opening(mustBe(rotated(twice, secret("c"), 0, NOW)), NOW)).toEqual(["c"]);
    const later = mustBe(rotated(twice, secret("c"), HOUR, NOW + HOUR));
    expect(opening(later, NOW + HOUR)).toEqual(["c", "b"]);
    expect(later.secrets).toHaveLength(2);
  });

  test("that is revoked opens nothing, from the first revocation on, and is rotated no more", () => {
    const over = revoked(mustBe(rotated(key, secret("b"), HOUR, NOW)), NOW + 1);
    expect(opening(over, NOW)).toEqual([]);
    expect(revoked(over, NOW + 9).revokedAt).toBe(NOW + 1);
    expect(rotated(over, secret("c"), 0, NOW)).toEqual({ refusal: "KEY_OVER" });
  });

  test("tells the hour of its use, no closer", () => {
    expect([hourOf(NOW), hourOf(NOW + HOUR - 1), hourOf(NOW + HOUR)]).toEqual([NOW, NOW, NOW + HOUR]);
  });
});
