import { expect, test } from "@jest/globals";
import type { GuildId } from "../../services/contracts/ids.ts";
import type { Post } from "../../services/dispatch/domain/post/post.ts";
import { until } from "../harness/until.ts";
import { claimOf, LEASE_MS, type PostStoreFixture } from "./post-store-fixture.ts";

/** The promises of a store about single posts: claims, leases and outcomes. */
export function testLedger(fixture: PostStoreFixture): void {
  test("a claim raises the fence and starts the lease, and stores texts unchanged", async () => {
    const post = await fixture.due();
    const row = await fixture.store.claim(
      claimOf(post, { madeAt: 1_700_000_000_000, owner: "$owner", attemptId: "$$NOW", parts: 2 }),
    );
    expect(row).toMatchObject({
      state: "sending",
      fence: 1,
      attempts: 1,
      owner: "$owner",
      attemptId: "$$NOW",
      parts: 2,
      claimedAt: 1_700_000_000_000,
    });
    expect((await fixture.store.find(post))?.claimedAt).toBe(1_700_000_000_000);
    expect(row?.wakeAt).toBe((row?.doubtSince ?? 0) + LEASE_MS);
  });

  test("a claim keeps the request that caused the post, and so does an outcome", async () => {
    const post = await fixture.due();
    const changedBy = { at: 1_700_000_000_000, requestId: "$request", traceparent: "00-…" };
    const row = (await fixture.store.claim(claimOf(post, { changedBy }))) as Post;
    expect(row).toMatchObject({ changedBy });
    await expect(fixture.store.find(post)).resolves.toMatchObject({ changedBy });
    const settled = await fixture.store.write(row, { state: "sent", settledAt: Date.now() });
    expect(settled).toMatchObject({ state: "sent", changedBy });
  });

  test.each([
    ["on an older plan", { planRevision: 0 }, {}],
    ["under another fence", { fence: 1 }, {}],
    ["after the state that it is based on is too old", {}, { notAfter: Date.now() - 1_000 }],
  ])("no post is claimed %s", async (_why, seen, differs) => {
    const post = await fixture.due();
    await expect(fixture.store.claim(claimOf({ ...post, ...seen }, differs))).resolves.toBeNull();
    await expect(fixture.store.find(post)).resolves.toEqual(post);
  });

  test("no post is claimed before it is due", async () => {
    const [post] = (await fixture.planned(60_000)) as [Post];
    await expect(fixture.store.claim(claimOf(post))).resolves.toBeNull();
  });

  test("one of twenty concurrent claims succeeds", async () => {
    const post = await fixture.due();
    const claims = Array.from({ length: 20 }, (_, at) => fixture.store.claim(claimOf(post, { attemptId: String(at) })));
    expect((await Promise.all(claims)).filter((row) => row !== null)).toHaveLength(1);
  });

  test("a post is taken over after its lease and not before, and the crash of its worker is counted", async () => {
    const post = await fixture.claimed({ leaseMs: 300 });
    const held = { id: post.id, guildId: post.guildId, fence: 1, state: "sending" } as const;
    const taking = { ...held, owner: "them", attemptId: "two", leaseMs: LEASE_MS };
    await expect(fixture.store.takeOver(taking)).resolves.toBeNull();
    // The row's lease does not end before the end that the claim returned.
    const { wakeAt = Infinity } = (await fixture.store.find(post)) ?? {};
    expect(wakeAt).toBeGreaterThanOrEqual(post.wakeAt);
    await until(() => Date.now() > wakeAt, "the lease is over");
    await expect(fixture.store.takeOver(taking)).resolves.toMatchObject({
      fence: 2,
      owner: "them",
      crashes: 1,
      attempts: 2,
    });
    await expect(fixture.store.takeOver(taking)).resolves.toBeNull();
  });

  test("a pause does not count as a crash", async () => {
    const post = await fixture.claimed();
    const paused = await fixture.store.write(post, { state: "sending", wakeAt: Date.now() - 1, owner: undefined });
    expect(paused).not.toHaveProperty("owner");
    const doubtSince = (await fixture.store.find(post))?.doubtSince;
    const held = { id: post.id, guildId: post.guildId, fence: 1, state: "sending" } as const;
    const taking = { ...held, owner: "them", attemptId: "two", leaseMs: LEASE_MS };
    await expect(fixture.store.takeOver(taking)).resolves.toMatchObject({ crashes: 0, doubtSince });
  });

  test("only the holder can extend the lease, which keeps the delivered parts", async () => {
    const post = await fixture.claimed();
    await expect(fixture.store.extendLease({ ...post, fence: 0 }, LEASE_MS)).resolves.toBeNull();
    const held = await fixture.store.extendLease({ ...post, delivered: ["$m1"] }, 10_000);
    expect(held).toMatchObject({ delivered: ["$m1"], fence: 1 });
    expect(held?.wakeAt).toBeGreaterThan(post.wakeAt + 5_000);
  });

  test("a write with an older fence, or from another state, changes nothing", async () => {
    const post = await fixture.claimed();
    const sent = { state: "sent", settledAt: Date.now(), messageId: "m" } as const;
    await expect(fixture.store.write({ ...post, fence: 0 }, sent)).resolves.toBeNull();
    await expect(fixture.store.write({ ...post, state: "planned" }, sent)).resolves.toBeNull();
    await expect(fixture.store.write(post, { ...sent, owner: undefined })).resolves.toMatchObject(sent);
    await expect(fixture.store.write(post, { state: "failed" })).resolves.toBeNull();
    await expect(fixture.store.find(post)).resolves.toMatchObject({ state: "sent" });
  });

  test("posts are read in the order of their next work, and settled ones are not read", async () => {
    const [late, soon, settled] = [await fixture.due(), await fixture.due(), await fixture.claimed()] as [
      Post,
      Post,
      Post,
    ];
    await fixture.store.write(late, { wakeAt: 200 });
    await fixture.store.write(soon, { wakeAt: 100 });
    await fixture.store.write(settled, { state: "sent", settledAt: Date.now(), wakeAt: 50 });
    const woken = await fixture.store.postsWaking(0, 201, 10);
    expect(woken.map(({ id }) => id)).toEqual([soon.id, late.id]);
    await expect(fixture.store.postsWaking(0, 201, 1)).resolves.toMatchObject([{ id: soon.id }]);
    await expect(fixture.store.postsWaking(101, 201, 10)).resolves.toMatchObject([{ id: late.id }]);
    await expect(fixture.store.postsWaking(0, 100, 10)).resolves.toEqual([]);
  });

  test("the soonest posts of each guild are read in pages of guilds, however many posts a guild has", async () => {
    const { store } = fixture;
    const [many, few, settled] = [
      await fixture.planned(60_000, 5),
      await fixture.planned(61_000),
      await fixture.claimed(),
    ];
    await store.write(settled, { state: "sent", settledAt: Date.now() });
    const [from, before] = [many[0]!.dueAt - 1, few[0]!.dueAt + 1];
    const read: { guildId: string; id: string }[] = [];
    let [pages, behind]: [number, GuildId | undefined] = [0, undefined];
    do {
      const page = await store.postsOfGuildsWaking(from, before, { behind, guilds: 1, postsPerGuild: 2 });
      read.push(...page.posts);
      behind = page.last;
      pages += 1;
    } while (behind !== undefined);
    const ids = (posts: readonly { id: string; guildId: string }[], guildId: string | undefined) =>
      posts.filter((post) => post.guildId === guildId).map(({ id }) => id);
    expect(ids(read, few[0]?.guildId)).toEqual(few.map(({ id }) => id));
    expect(ids(read, many[0]?.guildId)).toHaveLength(2);
    expect(ids(read, settled.guildId)).toEqual([]);
    expect(pages).toBeGreaterThan(2);
    const ofRetries = { guilds: 1_000, postsPerGuild: 2 };
    await store.write(few[0]!, { wakeAt: before });
    const { posts } = await store.postsOfGuildsWaking(from, before, ofRetries);
    expect(ids(posts, few[0]?.guildId)).toEqual([]);
  });

  test("posts of an occurrence are found, also settled ones", async () => {
    const post = await fixture.claimed();
    await fixture.store.write(post, { state: "sent", settledAt: Date.now() });
    await expect(fixture.store.postsForPlan(post.guildId, 10)).resolves.toEqual([]);
    const postsOf = (announcementId: string) =>
      fixture.store.postsOfPairs(post.guildId, [post.occurrenceId], [announcementId]);
    await expect(postsOf(post.announcementId)).resolves.toMatchObject([{ state: "sent" }]);
    await expect(postsOf("another")).resolves.toEqual([]);
  });

  test("a post that suspends its announcement is found at any age", async () => {
    const post = await fixture.claimed();
    await fixture.store.write(post, { state: "failed", settledAt: Date.now(), suspends: 3 });
    await expect(fixture.store.postsForPlan(post.guildId, 10)).resolves.toMatchObject([
      { suspends: 3, announcementRevision: 3 },
    ]);
  });

  test("the waits of a late post are stored with its claim, and removed with its outcome", async () => {
    const waited = { until: 5, waits: [{ cause: "CHANNEL_QUEUE", from: 0, until: 5, ms: 5 }] } as const;
    const post = await fixture.claimed({ waited });
    expect(post).toMatchObject({ waited });
    expect(await fixture.store.find(post)).toMatchObject({ waited });
    await fixture.store.write(post, { state: "sent", settledAt: Date.now(), waited: undefined });
    expect(await fixture.store.find(post)).not.toHaveProperty("waited");
  });
}
