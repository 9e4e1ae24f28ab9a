import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AnnouncementId, GuildId, OccurrenceId } from "../../services/contracts/ids.ts";
import { sampleOccurrence, sampleTruth } from "../fixtures/dispatch-samples.ts";
import { type Position, startOf } from "../../services/dispatch/domain/plan-order.ts";
import { planPosts } from "../../services/dispatch/domain/plan-posts.ts";
import type { Post } from "../../services/dispatch/domain/post.ts";
import type { Claim, PlanCommit, PostStore } from "../../services/dispatch/protocol/post-store.ts";
import { until } from "../real-parts/until.ts";

/** A store under test; its clock is the machine's. */
export interface StoreUnderTest {
  readonly store: PostStore;
  stop(): Promise<void>;
}

const LEASE_MS = 80;
let guilds = 0;

function position(at: number): Position {
  return { at, announcementId: "a" as AnnouncementId, occurrenceId: "e" as OccurrenceId };
}

/** What the port PostStore promises: every implementation passes the same tests, so that the simulator's is no easier. */
export function describePostStore(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`the plan and ledger ${name}`, () => {
    let underTest: StoreUnderTest;
    let store: PostStore;

    beforeAll(async () => {
      underTest = await start();
      ({ store } = underTest);
    });
    afterAll(() => underTest.stop());

    function emptyPlan(guildId: GuildId, version = 0): PlanCommit {
      const reach = { plannedThrough: Date.now() + 60_000, replanAt: Date.now() + 30_000 };
      return { guildId, version, inserts: [], updates: [], removes: [], sources: [], ...reach };
    }

    /** A planned post that is due `dueIn` from now, in a guild of its own. */
    async function planned(dueIn: number, count = 1): Promise<Post[]> {
      const guildId = String((guilds += 1)) as GuildId;
      const now = Date.now();
      const startsAt = now + dueIn;
      const occurrences = Array.from({ length: count }, (_, at) =>
        sampleOccurrence({ occurrenceId: `e${guildId}x${at}` as OccurrenceId, startsAt }),
      );
      const { inserts } = planPosts(sampleTruth({ guildId, now, occurrences, after: startOf(0), through: now + 1e9 }));
      await expect(store.commitPlan({ ...emptyPlan(guildId), inserts })).resolves.toBe(1);
      return [...inserts];
    }

    async function due(): Promise<Post> {
      const [post] = await planned(-5);
      return post as Post;
    }

    function claimOf(post: Post, differs: Partial<Claim> = {}): Claim {
      const ours = { owner: "us", attemptId: "one", leaseMs: LEASE_MS, parts: 1, announcementRevision: 3 };
      return { post, asOf: Date.now(), notAfter: Date.now() + 5_000, ...ours, ...differs };
    }

    async function claimed(differs: Partial<Claim> = {}): Promise<Post> {
      return (await store.claim(claimOf(await due(), differs))) as Post;
    }

    test("a stored plan is there whole, and its version has risen", async () => {
      const posts = await planned(60_000, 3);
      const [{ guildId }] = posts as [Post];
      await expect(store.guildPlan(guildId)).resolves.toMatchObject({ version: 1 });
      const rows = await store.standingPosts(guildId, 10);
      expect(rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(posts);
      await expect(store.find(posts[0]?.id ?? "")).resolves.toEqual(posts[0]);
    });

    test("a guild without a plan has version 0", async () => {
      await expect(store.guildPlan("987" as GuildId)).resolves.toEqual({ version: 0, plannedThrough: 0, replanAt: 0 });
    });

    test("nothing of a plan that was made before another is stored", async () => {
      const [post] = (await planned(60_000)) as [Post];
      const late = { ...emptyPlan(post.guildId, 0), inserts: [{ ...post, id: "late" }] };
      await expect(store.commitPlan(late)).resolves.toBeUndefined();
      await expect(store.find("late")).resolves.toBeNull();
    });

    test("nothing of a plan is stored when a row that it changes was claimed meanwhile", async () => {
      const post = await due();
      await store.claim(claimOf(post));
      const { id, startsAt, fence, planRevision } = post;
      const to = { state: "cancelled", reason: "gone", settledAt: Date.now() } as const;
      const updates = [{ id, startsAt, fence, planRevision, to }];
      const plan = { ...emptyPlan(post.guildId, 1), updates, inserts: [{ ...post, id: `${id} beside` }] };
      await expect(store.commitPlan(plan)).resolves.toBeUndefined();
      await expect(store.find(`${id} beside`)).resolves.toBeNull();
      await expect(store.find(id)).resolves.toMatchObject({ state: "sending" });
      await expect(store.guildPlan(post.guildId)).resolves.toMatchObject({ version: 1 });
    });

    test("a plan changes rows, and counts it", async () => {
      const [post] = (await planned(60_000)) as [Post];
      const { id, startsAt, fence, planRevision, deadline, guildId } = post;
      const to = { state: "planned", dueAt: 1_000, wakeAt: 1_000, channel: "9", deadline } as const;
      const updates = [{ id, startsAt, fence, planRevision, to }];
      await expect(store.commitPlan({ ...emptyPlan(guildId, 1), updates })).resolves.toBe(2);
      await expect(store.find(id)).resolves.toEqual({ ...post, ...to, planRevision: 2 });
    });

    test("a plan that changes nothing writes nothing", async () => {
      const guildId = String((guilds += 1)) as GuildId;
      const bounded = { cut: position(7), reached: position(8), toldThrough: 5 };
      const plan = { ...emptyPlan(guildId), bounded, occurrencesThrough: 9 };
      await store.commitPlan(plan);
      await expect(store.commitPlan({ ...plan, version: 1 })).resolves.toBe(1);
      await expect(store.guildPlan(guildId)).resolves.toEqual({
        version: 1,
        plannedThrough: plan.plannedThrough,
        replanAt: plan.replanAt,
        bounded,
        occurrencesThrough: 9,
      });
      const whole = { ...emptyPlan(guildId, 1), bounded: undefined };
      await expect(store.commitPlan(whole)).resolves.toBe(2);
      expect((await store.guildPlan(guildId)).bounded).toBeUndefined();
    });

    test("what a plan was made from is kept as it was last seen", async () => {
      const guildId = String((guilds += 1)) as GuildId;
      const source = { id: `${guildId}/s`, version: "1", text: '{"a":"$b"}', neededUntil: Date.now() + 1e6 };
      await store.commitPlan({ ...emptyPlan(guildId), sources: [source] });
      await expect(store.sources([source.id, "unknown"])).resolves.toEqual([source]);
      const { text: _, ...known } = source;
      await expect(store.sourceVersions([source.id, "unknown"])).resolves.toEqual([known]);
    });

    test("a post that is put off has no row, and one that was claimed meanwhile is not put off", async () => {
      const post = await due();
      const [other] = (await planned(60_000)) as [Post];
      const rowOf = ({ id, fence, planRevision }: Post) => ({ id, fence, planRevision });
      await store.claim(claimOf(post));
      await expect(
        store.commitPlan({ ...emptyPlan(post.guildId, 1), removes: [rowOf(post)] }),
      ).resolves.toBeUndefined();
      await expect(store.commitPlan({ ...emptyPlan(other.guildId, 1), removes: [rowOf(other)] })).resolves.toBe(2);
      await expect(store.find(other.id)).resolves.toBeNull();
    });

    test("of a guild's open posts the soonest are given, and with them what suspends an announcement", async () => {
      const posts = await planned(60_000, 3);
      const [{ guildId }] = posts as [Post];
      const some = await store.standingPosts(guildId, 2);
      expect(some.map(({ id }) => id)).toEqual(posts.slice(0, 2).map(({ id }) => id));
    });

    test("guilds are planned further when their time has come", async () => {
      const guildId = String((guilds += 1)) as GuildId;
      await store.commitPlan({ ...emptyPlan(guildId), replanAt: 5_000 });
      await expect(store.guildsToReplan(5_000, 10)).resolves.toEqual([]);
      await expect(store.guildsToReplan(5_001, 10)).resolves.toEqual([{ guildId, replanAt: 5_000 }]);
    });

    test("a claim raises the fence and begins the lease; its texts are texts", async () => {
      const post = await due();
      const row = await store.claim(claimOf(post, { owner: "$owner", attemptId: "$$NOW", parts: 2 }));
      expect(row).toMatchObject({
        state: "sending",
        fence: 1,
        attempts: 1,
        owner: "$owner",
        attemptId: "$$NOW",
        parts: 2,
      });
      expect(row?.wakeAt).toBe((row?.doubtSince ?? 0) + LEASE_MS);
    });

    test.each([
      ["on an older plan", { planRevision: 0 }, {}],
      ["under another fence", { fence: 1 }, {}],
      ["after the truth that it rests on is stale", {}, { notAfter: Date.now() - 1_000 }],
    ])("nothing is claimed %s", async (_why, seen, differs) => {
      const post = await due();
      await expect(store.claim(claimOf({ ...post, ...seen }, differs))).resolves.toBeNull();
      await expect(store.find(post.id)).resolves.toEqual(post);
    });

    test("nothing is claimed before it is due", async () => {
      const [post] = (await planned(60_000)) as [Post];
      await expect(store.claim(claimOf(post))).resolves.toBeNull();
    });

    test("of twenty claims at the same moment one is granted", async () => {
      const post = await due();
      const claims = Array.from({ length: 20 }, (_, at) => store.claim(claimOf(post, { attemptId: String(at) })));
      expect((await Promise.all(claims)).filter((row) => row !== null)).toHaveLength(1);
    });

    test("a post is taken over when its lease is over, not before, and the vanished worker is counted", async () => {
      const post = await claimed({ leaseMs: 300 });
      const taking = { id: post.id, fence: 1, owner: "them", attemptId: "two", leaseMs: LEASE_MS };
      await expect(store.takeOver(taking)).resolves.toBeNull();
      // The row's lease ends no sooner than the claim's answer says.
      const { wakeAt = Infinity } = (await store.find(post.id)) ?? {};
      expect(wakeAt).toBeGreaterThanOrEqual(post.wakeAt);
      await until(() => Date.now() > wakeAt, "the lease is over");
      await expect(store.takeOver(taking)).resolves.toMatchObject({ fence: 2, owner: "them", crashes: 1, attempts: 2 });
      await expect(store.takeOver(taking)).resolves.toBeNull();
    });

    test("a pause is no crash", async () => {
      const post = await claimed();
      const paused = await store.write(post, { state: "sending", wakeAt: Date.now() - 1, owner: undefined });
      expect(paused).not.toHaveProperty("owner");
      const doubtSince = (await store.find(post.id))?.doubtSince;
      const taking = { id: post.id, fence: 1, owner: "them", attemptId: "two", leaseMs: LEASE_MS };
      await expect(store.takeOver(taking)).resolves.toMatchObject({ crashes: 0, doubtSince });
    });

    test("holding prolongs the lease and keeps what is delivered, for the holder alone", async () => {
      const post = await claimed();
      await expect(store.hold(post.id, 0, LEASE_MS, [])).resolves.toBeNull();
      const held = await store.hold(post.id, 1, 10_000, ["$m1"]);
      expect(held).toMatchObject({ delivered: ["$m1"], fence: 1 });
      expect(held?.wakeAt).toBeGreaterThan(post.wakeAt + 5_000);
    });

    test("a write under an older fence, or from another state, changes nothing", async () => {
      const post = await claimed();
      const sent = { state: "sent", settledAt: Date.now(), messageId: "m" } as const;
      await expect(store.write({ ...post, fence: 0 }, sent)).resolves.toBeNull();
      await expect(store.write({ ...post, state: "planned" }, sent)).resolves.toBeNull();
      await expect(store.write(post, { ...sent, owner: undefined })).resolves.toMatchObject(sent);
      await expect(store.write(post, { state: "failed" })).resolves.toBeNull();
      await expect(store.find(post.id)).resolves.toMatchObject({ state: "sent" });
    });

    test("what wakes is given soonest first, and what is settled not at all", async () => {
      const [late, soon, settled] = [await due(), await due(), await claimed()] as [Post, Post, Post];
      await store.write(late, { wakeAt: 200 });
      await store.write(soon, { wakeAt: 100 });
      await store.write(settled, { state: "sent", settledAt: Date.now(), wakeAt: 50 });
      const woken = await store.waking(0, 201, 10);
      expect(woken.map(({ id }) => id)).toEqual([soon.id, late.id]);
      await expect(store.waking(0, 201, 1)).resolves.toMatchObject([{ id: soon.id }]);
      await expect(store.waking(101, 201, 10)).resolves.toMatchObject([{ id: late.id }]);
      await expect(store.waking(0, 100, 10)).resolves.toEqual([]);
    });

    test("posts of an occurrence are found when they are settled, too", async () => {
      const post = await claimed();
      await store.write(post, { state: "sent", settledAt: Date.now() });
      await expect(store.standingPosts(post.guildId, 10)).resolves.toEqual([]);
      await expect(store.postsOf(post.guildId, [post.occurrenceId])).resolves.toMatchObject([{ state: "sent" }]);
    });

    test("a post that suspends its announcement is found, however old", async () => {
      const post = await claimed();
      await store.write(post, { state: "failed", settledAt: Date.now(), suspends: 3 });
      await expect(store.standingPosts(post.guildId, 10)).resolves.toMatchObject([
        { suspends: 3, announcementRevision: 3 },
      ]);
    });

    test("a gap between beats is an outage: the database's for who ran all the while, otherwise dispatch's", async () => {
      const before = Date.now() - 60_000;
      const { firstAt, outages } = await store.beat(before, 10_000);
      expect(outages).toEqual([]);
      await expect(store.beat(before, 10_000)).resolves.toEqual({ firstAt, outages: [] });
      const passed = async (since: number) => until(() => Date.now() > since + 20, "a gap", 1_000, 5);
      const first = Date.now();
      await passed(first);
      const [one] = (await store.beat(before, 15)).outages;
      expect(one).toMatchObject({ cause: "DATABASE" });
      await passed(Date.now());
      const last = await store.beat(Date.now(), 15);
      const [, other] = last.outages;
      expect(last.firstAt).toBe(firstAt);
      expect(other).toMatchObject({ cause: "DISPATCH_DOWN" });
      const { from = 0, until: end = 0 } = one ?? {};
      expect(end - from).toBeGreaterThanOrEqual(15);
      expect(other?.from).toBeGreaterThanOrEqual(end);
    });

    test("what a late post has waited for is written with its claim, and goes with its outcome", async () => {
      const waited = { until: 5, waits: [{ cause: "CHANNEL_QUEUE", from: 0, until: 5, ms: 5 }] } as const;
      const post = await claimed({ waited });
      expect(post).toMatchObject({ waited });
      expect(await store.find(post.id)).toMatchObject({ waited });
      await store.write(post, { state: "sent", settledAt: Date.now(), waited: undefined });
      expect(await store.find(post.id)).not.toHaveProperty("waited");
    });

    test("a sink is on since the first start, or since it was switched on, also after it had been switched off", async () => {
      await expect(store.switchOnSinks(["log"])).resolves.toEqual({ log: 0 });
      const before = Date.now() - 1_000;
      const { log, discord = 0 } = await store.switchOnSinks(["log", "discord"]);
      expect(log).toBe(0);
      expect(discord).toBeGreaterThan(before);
      await expect(store.switchOnSinks(["discord", "log"])).resolves.toEqual({ log, discord });
      await store.switchOnSinks(["discord"]);
      const { log: again = 0 } = await store.switchOnSinks(["log", "discord"]);
      expect(again).toBeGreaterThan(before);
    });

    test("a mark never goes back", async () => {
      await store.saveMark("announcements", { at: 10, id: "b" });
      await store.saveMark("announcements", { at: 9, id: "c" });
      await expect(store.marks()).resolves.toMatchObject({ announcements: { at: 10, id: "b" } });
      await store.saveMark("announcements", { at: 11, id: "a" });
      await expect(store.marks()).resolves.toMatchObject({ announcements: { at: 11, id: "a" } });
    });
  });
}
