import { describe, expect, test } from "@jest/globals";
import { axisOf, countByKind, kindOf, marksOf, mergePosts, rereadAfter } from "./post-timeline.js";
import { POST_STATES } from "../../../../contracts/dispatch.contract.ts";
import type { Post } from "./types.ts";

const post = (event: string, due: number, more: Partial<Post> = {}): Post => ({
  due,
  announcement_id: "a",
  event_id: event,
  epoch_start: due + 1000,
  channel: "1",
  state: "planned",
  ...more,
});

describe("the timeline of posts", () => {
  test("every state of a post has a kind of its own", () => {
    const kinds = POST_STATES.map((state) => kindOf(post("e", 0, { state })));
    expect(new Set(kinds).size).toBe(POST_STATES.length);
  });

  test("a sent post is late from more than five seconds on (D44), and a post is in doubt while it is looked up", () => {
    expect(kindOf(post("e", 0, { state: "sent", late_ms: 5_000 }))).toBe("sent");
    expect(kindOf(post("e", 0, { state: "sent", late_ms: 5_001 }))).toBe("late");
    expect(kindOf(post("e", 0, { skip_code: "PAUSED" }))).toBe("skipped");
    expect(kindOf(post("e", 0, { state: "sending", in_doubt_since: 1 }))).toBe("in_doubt");
  });

  test("a post that was settled between the reads appears once, with its outcome", () => {
    const merged = mergePosts([post("b", 20, { state: "sent" })], [post("b", 20), post("a", 10)]);
    expect(merged.map(({ event_id, state }) => [event_id, state])).toEqual([
      ["a", "planned"],
      ["b", "sent"],
    ]);
    expect(countByKind(merged).get("sent")).toBe(1);
  });

  test("the posts of one event by different offsets are different posts (D54)", () => {
    const offsets = [
      { anchor: "START", offset_minutes: -60 },
      { anchor: "START", offset_minutes: 60 },
      { anchor: "END", offset_minutes: 60 },
    ] as const;
    const planned = offsets.map((offset, at) => post("e", at, { ...offset, epoch_start: 5 }));
    expect(mergePosts([{ ...planned[0]!, state: "sent" }], planned).map(({ state }) => state)).toEqual([
      "sent",
      "planned",
      "planned",
    ]);
  });

  test("a mark is at its part of the axis, and posts of one kind in one place are one mark", () => {
    const posts = [post("a", 0), post("b", 1), post("c", 10_000_000)];
    const axis = axisOf(posts, 5_000_000);
    const marks = marksOf(posts, axis);
    expect(marks.map(({ count }) => count)).toEqual([2, 1]);
    for (const { at } of marks) expect(at >= 0 && at <= 1).toBe(true);
    expect(marks[0]!.at).toBeLessThan(marks[1]!.at);
  });

  test("without posts the axis is around now", () => {
    const { from, to } = axisOf([], 1_000);
    expect(from < 1_000 && to > 1_000).toBe(true);
    expect(marksOf([], { from, to })).toEqual([]);
  });

  test("is read again after a change, which is planned some seconds later, and while a post is due", () => {
    const times = { now: 100_000, changedAt: 0 };
    const later = post("a", 200_000);
    expect(rereadAfter([later], times)).toBeUndefined();
    expect(rereadAfter([], { ...times, changedAt: 95_000 })).toBe(3_000);
    expect(rereadAfter([later, post("b", 101_000)], times)).toBe(3_000);
    expect(rereadAfter([post("b", 90_000, { state: "sending" })], times)).toBe(3_000);
  });
});
