import { expect, test } from "@jest/globals";
import type { AnnouncementId, GuildId, OccurrenceId } from "../../services/contracts/ids.ts";
import type { Position } from "../../services/dispatch/domain/plan/plan-order.ts";
import type { Post } from "../../services/dispatch/domain/post/post.ts";
import type { DueOrder } from "../../services/dispatch/protocol/post-store.ts";
import { claimOf, emptyPlan, newGuildId, type PostStoreFixture } from "./post-store-fixture.ts";

function position(at: number): Position {
  return { at, announcementId: "a" as AnnouncementId, occurrenceId: "e" as OccurrenceId };
}

/** The promises of a store about the plans of guilds. */
export function testPlans(fixture: PostStoreFixture): void {
  test("a plan is stored completely, and its version is raised", async () => {
    const posts = await fixture.planned(60_000, 3);
    const [{ guildId }] = posts as [Post];
    await expect(fixture.store.guildPlan(guildId)).resolves.toMatchObject({ version: 1 });
    const rows = await fixture.store.postsForPlan(guildId, 10);
    expect(rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(posts);
    await expect(fixture.store.find(posts[0] as Post)).resolves.toEqual(posts[0]);
  });

  test("a guild without a plan has version 0", async () => {
    await expect(fixture.store.guildPlan("987" as GuildId)).resolves.toEqual({
      version: 0,
      plannedThrough: 0,
      replanAt: 0,
    });
  });

  test("a plan that was computed before a stored one is not stored", async () => {
    const [post] = (await fixture.planned(60_000)) as [Post];
    const late = { ...emptyPlan(post.guildId, 0), inserts: [{ ...post, id: "late" }] };
    await expect(fixture.store.commitPlan(late)).resolves.toBeUndefined();
    await expect(fixture.store.find({ ...post, id: "late" })).resolves.toBeNull();
  });

  test("a plan is not stored if a row that it changes was claimed in the meantime", async () => {
    const post = await fixture.due();
    await fixture.store.claim(claimOf(post));
    const { id, startsAt, fence, planRevision } = post;
    const to = { state: "cancelled", reason: "gone", settledAt: Date.now() } as const;
    const updates = [{ id, startsAt, fence, planRevision, to }];
    const plan = { ...emptyPlan(post.guildId, 1), updates, inserts: [{ ...post, id: `${id} beside` }] };
    await expect(fixture.store.commitPlan(plan)).resolves.toBeUndefined();
    await expect(fixture.store.find({ ...post, id: `${id} beside` })).resolves.toBeNull();
    await expect(fixture.store.find(post)).resolves.toMatchObject({ state: "sending" });
    await expect(fixture.store.guildPlan(post.guildId)).resolves.toMatchObject({ version: 1 });
  });

  test("a plan changes rows, and counts the changes", async () => {
    const [post] = (await fixture.planned(60_000)) as [Post];
    const { id, startsAt, fence, planRevision, deadline, guildId } = post;
    const to = { state: "planned", dueAt: 1_000, wakeAt: 1_000, channel: "9", deadline } as const;
    const updates = [{ id, startsAt, fence, planRevision, to }];
    await expect(fixture.store.commitPlan({ ...emptyPlan(guildId, 1), updates })).resolves.toBe(2);
    await expect(fixture.store.find(post)).resolves.toEqual({ ...post, ...to, planRevision: 2 });
  });

  test("a plan stores why a post will be skipped when it is due, and removes it (D62)", async () => {
    const [post] = (await fixture.planned(60_000)) as [Post];
    const { id, startsAt, fence, dueAt, wakeAt, channel, deadline, guildId } = post;
    const change = async (version: number, skipReason: string | undefined) => {
      const to = { state: "planned", dueAt, wakeAt, channel, deadline, skipReason } as const;
      const updates = [{ id, startsAt, fence, planRevision: version, to }];
      await expect(fixture.store.commitPlan({ ...emptyPlan(guildId, version), updates })).resolves.toBe(version + 1);
    };
    const skipReason = "paused until 2026-12-24T00:00:00Z (guild)";
    await change(1, skipReason);
    await expect(fixture.store.find(post)).resolves.toEqual({ ...post, skipReason, planRevision: 2 });
    await change(2, undefined);
    await expect(fixture.store.find(post)).resolves.toStrictEqual({ ...post, planRevision: 3 });
  });

  test("a plan that changes nothing writes nothing", async () => {
    const guildId = newGuildId();
    const bounded = { end: position(7), farthestEnd: position(8), recordedThrough: 5 };
    const plan = { ...emptyPlan(guildId), bounded, occurrencesThrough: 9 };
    await fixture.store.commitPlan(plan);
    await expect(fixture.store.commitPlan({ ...plan, version: 1 })).resolves.toBe(1);
    await expect(fixture.store.guildPlan(guildId)).resolves.toEqual({
      version: 1,
      plannedThrough: plan.plannedThrough,
      replanAt: plan.replanAt,
      bounded,
      occurrencesThrough: 9,
    });
    const whole = { ...emptyPlan(guildId, 1), bounded: undefined };
    await expect(fixture.store.commitPlan(whole)).resolves.toBe(2);
    expect((await fixture.store.guildPlan(guildId)).bounded).toBeUndefined();
  });

  test("a request for a plan makes the guild due at once, and a plan that has read it removes it", async () => {
    const guildId = newGuildId();
    await fixture.store.commitPlan(emptyPlan(guildId));
    await fixture.store.requestPlan(guildId, 5_000);
    await fixture.store.requestPlan(guildId, 7_000);
    const requested = await fixture.store.guildPlan(guildId);
    expect(requested).toMatchObject({ version: 1, plannedThrough: 5_000, requests: 2 });
    expect(requested.replanAt).toBeLessThanOrEqual(Date.now());
    const due = await Array.fromAsync(fixture.store.guildsToReplan(Date.now() + 1, "longest overdue first"));
    expect(due.map((each) => each.guildId)).toContain(guildId);
    const answer = { ...emptyPlan(guildId, 1), requests: 2 };
    await expect(fixture.store.commitPlan(answer)).resolves.toBe(2);
    const { plannedThrough, replanAt } = answer;
    await expect(fixture.store.guildPlan(guildId)).resolves.toEqual({ version: 2, plannedThrough, replanAt });
  });

  test("a request that a plan has not read stays, and does not prevent the plan", async () => {
    const [post] = (await fixture.planned(60_000)) as [Post];
    const { guildId, id, fence, planRevision } = post;
    await fixture.store.requestPlan(guildId, 5_000);
    const { replanAt } = await fixture.store.guildPlan(guildId);
    await fixture.store.requestPlan(guildId, Infinity);
    const removes = [{ id, fence, planRevision }];
    await expect(fixture.store.commitPlan({ ...emptyPlan(guildId, 1), removes, requests: 1 })).resolves.toBe(2);
    await expect(fixture.store.find(post)).resolves.toBeNull();
    const reach = { version: 2, plannedThrough: 5_000, replanAt, requests: 2 };
    await expect(fixture.store.guildPlan(guildId)).resolves.toEqual(reach);
    // A part of a plan includes no request.
    await fixture.store.commitPlan(emptyPlan(guildId, 2));
    await expect(fixture.store.guildPlan(guildId)).resolves.toMatchObject({ plannedThrough: 5_000, requests: 2 });
  });

  test("a guild without a plan can have a request, and then gets its first plan", async () => {
    const guildId = newGuildId();
    await fixture.store.requestPlan(guildId, Infinity);
    const requested = await fixture.store.guildPlan(guildId);
    expect(requested).toMatchObject({ version: 1, requests: 1 });
    expect(requested.plannedThrough).toBeLessThanOrEqual(Date.now());
    const answer = { ...emptyPlan(guildId, 1), requests: 1 };
    await expect(fixture.store.commitPlan(answer)).resolves.toBe(2);
    expect((await fixture.store.guildPlan(guildId)).requests).toBeUndefined();
  });

  test("the sources of a plan are stored in their latest version", async () => {
    const guildId = newGuildId();
    const source = { id: `${guildId}/s`, version: "1", text: '{"a":"$b"}', neededUntil: Date.now() + 1e6 };
    await fixture.store.commitPlan({ ...emptyPlan(guildId), sources: [source] });
    await expect(fixture.store.sources(guildId, [source.id, "unknown"])).resolves.toEqual([source]);
    const { text: _, ...known } = source;
    await expect(fixture.store.sourceVersions(guildId, [source.id, "unknown"])).resolves.toEqual([known]);
  });

  test("a postponed post has no row, and one that was claimed in the meantime is not postponed", async () => {
    const post = await fixture.due();
    const [other] = (await fixture.planned(60_000)) as [Post];
    const rowOf = ({ id, fence, planRevision }: Post) => ({ id, fence, planRevision });
    await fixture.store.claim(claimOf(post));
    await expect(
      fixture.store.commitPlan({ ...emptyPlan(post.guildId, 1), removes: [rowOf(post)] }),
    ).resolves.toBeUndefined();
    await expect(fixture.store.commitPlan({ ...emptyPlan(other.guildId, 1), removes: [rowOf(other)] })).resolves.toBe(
      2,
    );
    await expect(fixture.store.find(other)).resolves.toBeNull();
  });

  test("the soonest open posts of a guild and its suspending posts are read", async () => {
    const posts = await fixture.planned(60_000, 3);
    const [{ guildId }] = posts as [Post];
    const some = await fixture.store.postsForPlan(guildId, 2);
    expect(some.map(({ id }) => id)).toEqual(posts.slice(0, 2).map(({ id }) => id));
  });

  test("only cancelled and skipped posts beyond the latest ones are deleted", async () => {
    const posts = await fixture.planned(60_000, 6);
    const [{ guildId }] = posts as [Post];
    const settledAt = [1, 5, 3, 4, 2];
    const updates = posts.slice(0, 5).map(({ id, startsAt, fence, planRevision }, at) => {
      const state = at % 2 === 0 ? "cancelled" : "skipped";
      const to = { state, reason: "gone", settledAt: settledAt[at] as number } as const;
      return { id, startsAt, fence, planRevision, to };
    });
    await fixture.store.commitPlan({ ...emptyPlan(guildId, 1), updates });
    const left = async () => {
      const found = await Promise.all(posts.map((post) => fixture.store.find(post)));
      return found.map((each, at) => (each === null ? "" : at)).join("");
    };
    await fixture.store.deleteOldUnsent(guildId, 5);
    await expect(left()).resolves.toBe("012345");
    await fixture.store.deleteOldUnsent(guildId, 3);
    await expect(left()).resolves.toBe("1235");
    await fixture.store.deleteOldUnsent(guildId, 0);
    await expect(left()).resolves.toBe("5");
  });

  test("guilds are due for their next plan at replanAt", async () => {
    const due = [5_000, 5_001].map((replanAt) => ({ guildId: newGuildId(), replanAt }));
    for (const { guildId, replanAt } of due) await fixture.store.commitPlan({ ...emptyPlan(guildId), replanAt });
    const before = (instant: number, order: DueOrder) => Array.fromAsync(fixture.store.guildsToReplan(instant, order));
    await expect(before(5_000, "longest overdue first")).resolves.toEqual([]);
    await expect(before(5_001, "latest first")).resolves.toEqual(due.slice(0, 1));
    await expect(before(5_002, "longest overdue first")).resolves.toEqual(due);
    await expect(before(5_002, "latest first")).resolves.toEqual(due.toReversed());
  });
}
