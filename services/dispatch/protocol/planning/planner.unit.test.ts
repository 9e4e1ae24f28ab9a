import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../../contracts/ids.ts";
import type { OccurrencesStartingParams } from "../../../contracts/occurrences.contract.ts";
import { sampleAnnouncement } from "../../../../test/fixtures/dispatch-samples.ts";
import { sharedWith } from "../../../../test/fixtures/known-replicas.ts";
import { newMemoryPostStore } from "../../../../test/lab/simulator/memory-post-store.ts";
import { newVirtualTime } from "../../../../test/lab/simulator/virtual-time.ts";
import type { Post } from "../../domain/post/post.ts";
import { newLifecycle } from "../lifecycle.ts";
import { newPlanner, cooldownMs } from "./planner.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";

const BUSY = "1" as GuildId;
const QUIET = "2" as GuildId;

/** A planner of guilds without announcements whose plans take `tookMs`; records the begin of each plan. */
function plannerWithPlansOf(tookMs: number, timing = STANDARD_TIMING) {
  const time = newVirtualTime(1, 0);
  const plans: { readonly guildId: GuildId; readonly at: number }[] = [];
  const timers = {
    after(ms: number, happen: () => void) {
      time.after(ms, happen);
      return () => undefined;
    },
  };
  const store = {
    enableSinks: async () => ({}),
    guildPlan(guildId: GuildId) {
      plans.push({ guildId, at: time.now });
      return new Promise((resolve) => time.after(tookMs, () => resolve({ version: 0 })));
    },
  };
  const ports = {
    clock: { now: () => time.now },
    timers,
    store,
    sinks: [],
    owners: { announcementRules: async () => [] },
    random: { fraction: () => 0.5 },
    reports: {},
  } as unknown as Ports;
  const planner = newPlanner(ports, timing, newLifecycle(ports), sharedWith(), () => undefined);
  return { planner, plans, time, run: (until: number) => time.run(until, () => false) };
}

describe("a guild that changes all the time", () => {
  test.each([
    [20, 50],
    [200, 5],
    [500, 2],
  ])("cools down after a plan of %i ms, and is planned %i times in five seconds", async (tookMs, times) => {
    const { planner, plans, time, run } = plannerWithPlansOf(tookMs);
    const requestAgain = (): void => {
      void planner.requestReplan(BUSY, time.now);
      time.after(10, requestAgain);
    };
    requestAgain();
    await run(4_999);
    expect(plans).toHaveLength(times);
  });

  test("delays no other guild, and its last change is planned", async () => {
    const { planner, plans, time, run } = plannerWithPlansOf(100);
    let plannedAt: number | undefined;
    time.after(0, () => void planner.requestReplan(BUSY, 0));
    time.after(50, () => void planner.requestReplan(BUSY, 0).then(() => (plannedAt = time.now)));
    time.after(150, () => void planner.requestReplan(QUIET, 0));
    await run(1_000);
    expect(plans).toEqual([
      { guildId: BUSY, at: 0 },
      { guildId: QUIET, at: 150 },
      { guildId: BUSY, at: 500 },
    ]);
    expect(plannedAt).toBe(600);
  });
});

describe("guilds with large plans", () => {
  const LARGE = ["11", "12", "13", "14"] as GuildId[];

  /** Large guilds have more occurrences than one read returns. Records the guilds of which all are being read, and the plans. */
  function plannerOfLargeGuilds() {
    const time = newVirtualTime(1, 0);
    const reading: number[] = [];
    const planned: { readonly guildId: GuildId; readonly at: number }[] = [];
    let inFlight = 0;
    let isLarge = (guildId: GuildId) => LARGE.includes(guildId);
    const wait = (ms: number) => new Promise<void>((resolve) => time.after(ms, resolve));
    const ports = {
      clock: { now: () => time.now },
      timers: {
        after(ms: number, happen: () => void) {
          time.after(ms, happen);
          return () => undefined;
        },
      },
      store: newMemoryPostStore(() => time.now),
      sinks: [{ name: "log" }],
      owners: {
        announcementRules: async () => [sampleAnnouncement()],
        async occurrences({ guildId, texts }: OccurrencesStartingParams) {
          if (texts) return { occurrences: [], truncated: isLarge(guildId) };
          reading.push((inFlight += 1));
          await wait(1_000);
          inFlight -= 1;
          return { occurrences: [], truncated: false };
        },
      },
      random: { fraction: () => 0.5 },
      reports: {},
    } as unknown as Ports;
    const planner = newPlanner(ports, STANDARD_TIMING, newLifecycle(ports), sharedWith(), () => undefined);
    const request = (guildId: GuildId) =>
      void planner.requestReplan(guildId, time.now).then(() => planned.push({ guildId, at: time.now }));
    return {
      time,
      reading,
      planned,
      planner,
      request,
      haveShrunk: () => (isLarge = () => false),
      run: (until: number) => time.run(until, () => false),
    };
  }

  test("are planned one at a time, each in its turn, and no other guild waits for them", async () => {
    const { time, reading, planned, request, run } = plannerOfLargeGuilds();
    time.after(0, () => LARGE.forEach(request));
    time.after(500, () => request(QUIET));
    await run(10_000);
    expect(reading).toEqual([1, 1, 1, 1]);
    expect(planned).toEqual([
      { guildId: QUIET, at: 500 },
      ...LARGE.map((guildId, at) => ({ guildId, at: (at + 1) * 1_000 })),
    ]);
  });

  test("are held back while another one is planned, and not while only their turns are ahead", async () => {
    const { time, planner, run } = plannerOfLargeGuilds();
    const heldBack: { readonly guildId: GuildId; readonly at: number }[] = [];
    const request = (guildId: GuildId) =>
      void planner.request(guildId, 0).heldBack.then(() => heldBack.push({ guildId, at: time.now }));
    const [first, second] = LARGE as [GuildId, GuildId];
    time.after(0, () => request(first));
    time.after(50, () => request(first));
    time.after(100, () => request(second));
    for (let at = 0; at < 20; at += 1) time.after(200, () => request(`2${at}` as GuildId));
    await run(10_000);
    // The second plan of the first guild does not wait for its own first plan, but for that of the second guild.
    expect(heldBack).toEqual([
      { guildId: second, at: 100 },
      { guildId: first, at: 1_000 },
    ]);
  });

  test("are planned beside others once their plans are no longer large", async () => {
    const { time, planned, request, haveShrunk, run } = plannerOfLargeGuilds();
    time.after(0, () => LARGE.forEach(request));
    time.after(10_000, haveShrunk);
    time.after(10_000, () => LARGE.forEach(request));
    time.after(20_000, () => LARGE.forEach(request));
    await run(30_000);
    expect(planned.filter(({ at }) => at === 20_000)).toHaveLength(LARGE.length);
  });
});

describe("a guild that pauses between two plans", () => {
  test("is held back if the pause is longer than others wait", async () => {
    const { planner, time, run } = plannerWithPlansOf(100, { ...STANDARD_TIMING, maxPlanWaitMs: 250 });
    const heldBackAt: number[] = [];
    const request = () => void planner.request(BUSY, 0).heldBack.then(() => heldBackAt.push(time.now));
    // The first plan ends at 100, the pause at 500, the second plan at 600, and its pause at 1000.
    for (const at of [0, 300, 700]) time.after(at, request);
    await run(2_000);
    expect(heldBackAt).toEqual([700]);
  });
});

describe("a guild whose plan fails while others are planned", () => {
  test("is left to the sweep of any replica from its change on, and its request resolves", async () => {
    const time = newVirtualTime(1, 0);
    const store = newMemoryPostStore(() => time.now);
    const failing = new Set([BUSY]);
    const troubles: number[] = [];
    const ports = {
      clock: { now: () => time.now },
      timers: {
        after(ms: number, happen: () => void) {
          time.after(ms, happen);
          return () => undefined;
        },
      },
      store,
      sinks: [],
      owners: {
        announcementRules: async (guildId: GuildId) => {
          if (failing.has(guildId)) throw new Error("can't be read");
          return [];
        },
      },
      random: { fraction: () => 0.5 },
      reports: { operationFailed: () => troubles.push(time.now) },
    } as unknown as Ports;
    const planner = newPlanner(ports, STANDARD_TIMING, newLifecycle(ports), sharedWith(), () => undefined);
    let resolvedAt: number | undefined;
    time.after(100, () => void planner.requestReplan(BUSY, 70).then(() => (resolvedAt = time.now)));
    const others = () => {
      void planner.requestReplan(QUIET, time.now);
      time.after(100, others);
    };
    time.after(150, others);
    await time.run(10_000, () => false);
    expect(resolvedAt).toBe(troubles[2]);
    expect(troubles).toHaveLength(3);
    await expect(Array.fromAsync(store.guildsToReplan(10_000, "longest overdue first"))).resolves.toEqual([
      { guildId: BUSY, replanAt: resolvedAt },
    ]);
    await expect(store.guildPlan(BUSY)).resolves.toMatchObject({ plannedThrough: 70, requests: 1 });
  });
});

describe("a guild with more posts due than it may have planned", () => {
  const posts = (count: number, dueAt: number) => Array.from({ length: count }, () => ({ dueAt })) as unknown as Post[];

  test("cools down so that 80 of its posts a second are planned", () => {
    expect(cooldownMs({ posts: posts(5_000, 900), more: "overdue", isLarge: true, longestLeadMs: 0 }, 900, 1_000)).toBe(
      62_500,
    );
  });

  test("does not cool down longer than others while its next post is not due", () => {
    expect(
      cooldownMs({ posts: posts(5_000, 900), more: "with room", isLarge: true, longestLeadMs: 0 }, 900, 1_000),
    ).toBe(400);
    expect(cooldownMs({ posts: posts(5_000, 900), more: "none", isLarge: false, longestLeadMs: 0 }, 900, 1_000)).toBe(
      400,
    );
  });
});
