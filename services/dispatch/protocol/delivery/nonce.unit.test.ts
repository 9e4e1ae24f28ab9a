import { describe, expect, test } from "@jest/globals";
import type { Post } from "../../domain/post/post.ts";
import { samplePlanInput } from "../../../../test/fixtures/dispatch-samples.ts";
import { planPosts } from "../../domain/plan/plan-posts.ts";
import { nonceOf } from "./nonce.ts";

const post = planPosts(samplePlanInput()).inserts[0] as Post;

describe("the nonce of a part (D32)", () => {
  test("fits into Discord's 25 characters", () => {
    expect(nonceOf(post, 0)).toMatch(/^[\w-]{24}$/);
  });

  test("is the same for every attempt and round", () => {
    expect(nonceOf({ ...post, id: "other", round: 2, fence: 9, attempts: 4 }, 0)).toBe(nonceOf(post, 0));
  });

  test("differs by announcement, occurrence, start, channel and part", () => {
    const others = [
      { ...post, announcementId: "a2" },
      { ...post, occurrenceId: "e2" },
      { ...post, startsAt: post.startsAt + 1 },
      { ...post, channel: "78" },
    ] as Post[];
    const nonces = [nonceOf(post, 0), nonceOf(post, 1), ...others.map((other) => nonceOf(other, 0))];
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  test("differs between the offsets of an announcement, and stays the same for a lead time", () => {
    const { endsAt: _, offset: __, ...lead } = post;
    const by = (anchor: "START" | "END", minutes: number, endsAt?: number): Post =>
      ({ ...lead, offset: { anchor, minutes }, endsAt }) as Post;
    const others = [by("START", -60), by("START", 60), by("END", -60, 1), by("END", -60, 2)];
    const nonces = [lead, ...others].map((each) => nonceOf(each, 0));
    expect(new Set(nonces).size).toBe(5);
    expect(nonces[0]).toBe("hIC_6uNh6CMjLGd8gNnOG2ui");
  });
});
