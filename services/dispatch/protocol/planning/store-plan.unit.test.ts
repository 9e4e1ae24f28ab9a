import { beforeEach, describe, expect, test } from "@jest/globals";
import { newMemoryPostStore } from "../../../../test/lab/simulator/memory-post-store.ts";
import type { GuildId, OccurrenceId } from "../../../contracts/ids.ts";
import { HOUR, NOON, sampleAnnouncement, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";
import { CONTINUE_PLAN, planGuild } from "./plan-guild.ts";
import type { Ports } from "../ports.ts";
import type { PlanCommit, PostStore } from "../post-store.ts";
import { STANDARD_TIMING, type Timing } from "../timing.ts";

const GUILD = "1" as GuildId;
/** Enough for three parts. */
const POSTS = 1_200;

describe("a plan that is stored in parts", () => {
  let store: ReturnType<typeof newMemoryPostStore>;
  let commits: PlanCommit[];
  /** Called before each part is stored. */
  let beforePart: (part: number) => Promise<void>;
  /** The first due instant of the last plan. */
  let plannedFrom: number;

  beforeEach(() => {
    store = newMemoryPostStore(() => NOON);
    commits = [];
    beforePart = async () => undefined;
  });

  /** Plans a guild without a plan; `description` is a text of each of the soonest occurrences. */
  function plan(description = "", since = 0, timing: Partial<Timing> = {}): ReturnType<typeof planGuild> {
    const occurrences = Array.from({ length: POSTS }, (_, at) =>
      sampleOccurrence({ occurrenceId: `o${at}` as OccurrenceId, startsAt: NOON + HOUR + at }),
    );
    const observed: PostStore = {
      ...store,
      async commitPlan(commit) {
        commits.push(commit);
        await beforePart(commits.length);
        return store.commitPlan(commit);
      },
    };
    const ports = {
      store: observed,
      clock: { now: () => NOON },
      timers: { after: (_ms: number, wake: () => void) => void setImmediate(wake) },
      sinks: [{ name: "log" }],
      owners: {
        async announcementRules(_guildId: GuildId, formerAfter: number) {
          plannedFrom = formerAfter;
          return [sampleAnnouncement()];
        },
        announcement: async () => sampleAnnouncement(),
        settings: async () => ({}),
        occurrences: async ({ limit, texts }: { limit: number; texts: boolean }) => ({
          occurrences: occurrences.slice(0, limit).map((each) => Object.assign({}, each, texts && { description })),
          truncated: limit < POSTS,
        }),
      },
      reports: { settled: () => undefined },
    } as unknown as Ports;
    return planGuild(ports, { ...STANDARD_TIMING, ...timing }, GUILD, since, {}, "any");
  }

  test("has at most 500 rows and sources in each part, and is complete after the last", async () => {
    await expect(plan()).resolves.toMatchObject({ more: "none" });
    const sizes = commits.map(({ inserts, sources }) => inserts.length + sources.length);
    expect(sizes).toEqual([500, 500, 500, POSTS + 502 - 1_500]);
    expect(commits.map(({ version }) => version)).toEqual(commits.map((_, at) => at));
    expect(store.posts.size).toBe(POSTS);
  });

  test("has at most 1 MB of texts in each part", async () => {
    await plan("x".repeat(7_000));
    const bytes = commits.map(({ sources }) => sources.reduce((sum, { text }) => sum + text.length, 0));
    expect(Math.max(...bytes)).toBeGreaterThan(900_000);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(1_000_000);
  });

  test("counts as not planned after a crash between two parts, and the next plan stores the rest", async () => {
    beforePart = async (part) => {
      if (part === 3) throw new Error("crashed");
    };
    await expect(plan()).rejects.toThrow("crashed");
    expect(store.posts.size).toBe(1_000);
    await expect(store.guildPlan(GUILD)).resolves.toMatchObject({ replanAt: NOON });
    await expect(Array.fromAsync(store.guildsToReplan(NOON + 1, "longest overdue first"))).resolves.toEqual([
      { guildId: GUILD, replanAt: NOON },
    ]);
    beforePart = async () => undefined;
    commits = [];
    await plan();
    expect(store.posts.size).toBe(POSTS);
    expect(commits.flatMap(({ inserts }) => inserts)).toHaveLength(POSTS - 1_000);
    await expect(Array.fromAsync(store.guildsToReplan(NOON + 1, "longest overdue first"))).resolves.toEqual([]);
  });

  test("includes the requests before its begin once its last part is stored, and no later request", async () => {
    await store.requestPlan(GUILD, NOON);
    const requests: unknown[] = [];
    beforePart = async (part) => {
      requests.push((await store.guildPlan(GUILD)).requests);
      if (part === 3) await store.requestPlan(GUILD, NOON);
    };
    await plan();
    expect(requests).toEqual([1, 1, 1, 2]);
    await expect(store.guildPlan(GUILD)).resolves.toMatchObject({ requests: 2, replanAt: NOON });
    await plan();
    const { requests: left, replanAt } = await store.guildPlan(GUILD);
    expect([left, replanAt > NOON]).toEqual([undefined, true]);
  });

  test("continues a bounded plan at its end, and begins again if another plan was requested", async () => {
    const timing = { maxOpenPosts: 10 };
    await plan("", 0, timing);
    await plan("", CONTINUE_PLAN, timing);
    expect(plannedFrom).toBe(NOON + HOUR + 10);
    await store.requestPlan(GUILD, NOON);
    await plan("", CONTINUE_PLAN, timing);
    expect(plannedFrom).toBe(NOON - STANDARD_TIMING.graceMs);
  });

  test("stores no further part after another plan came between", async () => {
    beforePart = async (part) => {
      if (part !== 2) return;
      const { version, ...reach } = await store.guildPlan(GUILD);
      const nothing = { inserts: [], updates: [], removes: [], sources: [] };
      await store.commitPlan({ ...reach, ...nothing, plannedThrough: NOON + HOUR, guildId: GUILD, version });
    };
    await expect(plan()).resolves.toBeUndefined();
    expect(commits).toHaveLength(2);
    expect(store.posts.size).toBe(500);
  });
});
