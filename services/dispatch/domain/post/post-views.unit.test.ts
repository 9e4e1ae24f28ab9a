import { describe, expect, test } from "@jest/globals";
import type { Post } from "./post.ts";
import { toComputedPost, upcomingPosts } from "./post-views.ts";

const DUE = 1_000_000;
const post = (differs: Partial<Post>): Post =>
  ({
    announcementId: "a1",
    occurrenceId: "e1",
    startsAt: DUE,
    dueAt: DUE,
    wakeAt: DUE,
    channel: "77",
    sink: "log",
    state: "planned",
    attempts: 0,
    ...differs,
  }) as Post;
const listed = { announcementId: "a1", eventId: "e1", startsAt: DUE, dueAt: DUE, channel: "77" };

describe("the list of upcoming posts", () => {
  test("has only place and time of a post that was not tried yet", () => {
    expect(upcomingPosts([post({})], 10)).toEqual([{ ...listed, state: "planned" }]);
  });

  test("has the pause by which a planned post will be skipped, and not that of a post in doubt (D62)", () => {
    const skipReason = "paused until 2026-12-24T00:00:00Z (guild)";
    const skip = { skipCode: "PAUSED", skipReason };
    expect(upcomingPosts([post({ skipReason })], 10)).toEqual([{ ...listed, state: "planned", ...skip }]);
    expect(upcomingPosts([post({ skipReason, attempts: 1 })], 10)).toMatchObject([{ attempts: 1, ...skip }]);
    const doubtful = post({ skipReason, state: "sending", attempts: 1, doubtSince: DUE });
    expect(upcomingPosts([doubtful], 10)[0]).not.toHaveProperty("skipReason");
    expect(toComputedPost(post({ skipReason }))).toEqual({ ...listed, state: "planned", computed: true, ...skip });
  });

  test("has attempts, reason and next attempt of a post that was tried", () => {
    const tried = post({ attempts: 2, reason: "HTTP 503", wakeAt: DUE + 9_000 });
    expect(upcomingPosts([tried], 10)).toEqual([
      { ...listed, state: "planned", attempts: 2, reason: "HTTP 503", nextTryAt: DUE + 9_000 },
    ]);
  });

  test("shows a post in doubt with the end of its lease or its next attempt", () => {
    const doubt = { state: "sending", attempts: 1, doubtSince: DUE + 5, wakeAt: DUE + 6_000 } as const;
    const common = { ...listed, state: "sending", attempts: 1, inDoubtSince: DUE + 5 };
    expect(upcomingPosts([post({ ...doubt, owner: "one" })], 10)).toEqual([{ ...common, leaseUntil: DUE + 6_000 }]);
    expect(upcomingPosts([post({ ...doubt, reason: "timed out" })], 10)).toEqual([
      { ...common, nextTryAt: DUE + 6_000, reason: "timed out" },
    ]);
  });

  test("shows a post of several sinks once, by the row that is furthest from its outcome", () => {
    const doubtful = post({ sink: "webhook", state: "sending", attempts: 1, doubtSince: DUE });
    const tried = post({ sink: "discord", attempts: 3, reason: "HTTP 503" });
    for (const rows of [
      [post({}), tried, doubtful],
      [doubtful, tried, post({})],
    ]) {
      expect(upcomingPosts(rows, 10).map(({ state }) => state)).toEqual(["sending"]);
    }
    expect(upcomingPosts([post({}), tried], 10)).toMatchObject([{ attempts: 3 }]);
  });

  test("has the first posts up to the requested number", () => {
    const rows = [1, 2, 3].map((at) => post({ occurrenceId: `e${at}` as never, sink: "log" }));
    expect(upcomingPosts(rows, 2).map(({ eventId }) => eventId)).toEqual(["e1", "e2"]);
  });
});
