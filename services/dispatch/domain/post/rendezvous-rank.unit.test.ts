import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { rankOf } from "./rendezvous-rank.ts";

const replicas = ["a.1", "a.2", "a.3"];
const posts = Array.from({ length: 3_000 }, (_, at) => `post:${at}`);

describe("the order of replicas for a post", () => {
  test("is the same on every replica: the ranks are 0, 1, 2 …", () => {
    fc.assert(
      fc.property(fc.string(), fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 }), (post, all) => {
        const ranks = all.map((self) => rankOf(post, self, all)).toSorted((one, other) => one - other);
        expect(ranks).toEqual(all.map((_, at) => at));
      }),
    );
  });

  test("gives each replica its share of the first ranks", () => {
    for (const self of replicas) {
      const first = posts.filter((post) => rankOf(post, self, replicas) === 0).length;
      expect(first).toBeGreaterThan(900);
      expect(first).toBeLessThan(1_100);
    }
  });

  test("spreads the posts of a lost replica over all others", () => {
    const lost = posts.filter((post) => rankOf(post, "a.1", replicas) === 0);
    const taken = lost.filter((post) => rankOf(post, "a.2", ["a.2", "a.3"]) === 0).length;
    expect(taken / lost.length).toBeGreaterThan(0.4);
    expect(taken / lost.length).toBeLessThan(0.6);
  });

  test("ranks a replica that the others don't know yet", () => {
    expect(rankOf("post", "a.9", [])).toBe(0);
  });
});
