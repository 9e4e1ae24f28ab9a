import { beforeEach, describe, expect, test } from "@jest/globals";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { newMemoryPostStore } from "../../../../test/lab/simulator/memory-post-store.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import { MAX_ENTRIES } from "../../../contracts/calendar-events.contract.ts";
import type { AnnouncementId, EventId, GuildId, OccurrenceId } from "../../../contracts/ids.ts";
import type { Occurrence, OccurrencesStartingParams } from "../../../contracts/occurrences.contract.ts";
import type { Post } from "../../domain/post/post.ts";
import { CONTINUE_PLAN, planGuild } from "./plan-guild.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";

const GUILD = "1" as GuildId;
const DAY = 24 * HOUR;
const WEEK_AHEAD = { id: "week" as AnnouncementId, hours: 168, type: "COLOR", eventColor: "RED" } as const;

describe("a guild with more occurrences ahead than can be read", () => {
  let store: ReturnType<typeof newMemoryPostStore>;
  let now: number;
  let rules: AnnouncementRule[];
  let occurrences: Occurrence[];

  beforeEach(() => {
    store = newMemoryPostStore(() => now);
    now = NOON;
    rules = [sampleAnnouncement()];
    occurrences = [];
  });

  function add(count: number, startsAt: (at: number) => number, differs: Partial<Occurrence> = {}): void {
    for (let at = 0; at < count; at += 1) {
      const id = `o${String(occurrences.length).padStart(6, "0")}`;
      const ids = { occurrenceId: id as OccurrenceId, eventId: id as EventId };
      occurrences.push(sampleOccurrence({ ...ids, startsAt: startsAt(at), ...differs }));
    }
    occurrences.sort((one, other) => one.startsAt - other.startsAt);
  }

  async function starting({ windows, limit, changedSince = 0 }: OccurrencesStartingParams) {
    const found = occurrences.filter(
      ({ startsAt, scheduledAt }) =>
        scheduledAt >= changedSince && windows.some(({ from, until }) => startsAt >= from && startsAt < until),
    );
    return { occurrences: found.slice(0, limit), truncated: found.length > limit, former: [] };
  }

  /** Plans, and continues the plan as long as it continues at once. */
  async function plan(): Promise<void> {
    const ports = {
      store,
      clock: { now: () => now },
      timers: { after: (_ms: number, wake: () => void) => void setImmediate(wake) },
      sinks: [{ name: "log" }],
      owners: {
        announcementRules: async () => rules,
        announcement: async (_guildId: GuildId, id: AnnouncementId) => rules.find((rule) => rule.id === id),
        settings: async () => ({}),
        occurrences: starting,
      },
      reports: { settled: () => undefined, operationFailed: () => undefined },
    } as unknown as Ports;
    for (let since = 0; ; since = CONTINUE_PLAN) {
      const planned = await planGuild(ports, STANDARD_TIMING, GUILD, since === 0 ? now : since, {}, "any");
      if (planned === undefined || planned === "too large") throw new Error("the plan was not stored");
      if (planned.more !== "at once") return;
    }
  }

  const posts = (holds: (post: Post) => boolean) => [...store.posts.values()].filter(holds);

  test("has posts that are due soon, however many starts come before them", async () => {
    rules = [sampleAnnouncement(WEEK_AHEAD)];
    add(MAX_ENTRIES + 100, (at) => NOON + at * MINUTE);
    add(1, () => NOON + 7 * DAY + HOUR, { color: "RED" });
    await plan();
    expect(posts(() => true)).toMatchObject([{ announcementId: "week", state: "planned", dueAt: NOON + HOUR }]);
  });

  test("has a post at once for an event that was created after its due instant", async () => {
    rules = [sampleAnnouncement(WEEK_AHEAD)];
    add(MAX_ENTRIES + 100, (at) => NOON + at * (MINUTE / 2));
    add(1, () => NOON + 6 * DAY, { color: "RED", scheduledAt: NOON - 1 });
    await plan();
    expect(posts(() => true)).toMatchObject([{ announcementId: "week", state: "planned", dueAt: NOON - 1 }]);
  });

  test("has all posts of the next hour, in as many plans as it takes", async () => {
    rules = [sampleAnnouncement({ type: "COLOR", eventColor: "RED" })];
    add(3 * MAX_ENTRIES, (at) => NOON + at * 100);
    add(1, () => NOON + 50 * MINUTE, { color: "RED" });
    await plan();
    expect(posts(() => true)).toMatchObject([{ dueAt: NOON + 50 * MINUTE }]);
    const { occurrencesThrough, bounded } = await store.guildPlan(GUILD);
    expect([occurrencesThrough, bounded]).toEqual([undefined, undefined]);
  });

  test("is planned as far as its occurrences were read, if most of them are far ahead", async () => {
    rules = [sampleAnnouncement({ type: "COLOR", eventColor: "RED" })];
    add(3 * MAX_ENTRIES, (at) => NOON + at * 3_000);
    await plan();
    const { occurrencesThrough = 0, plannedThrough, replanAt, bounded } = await store.guildPlan(GUILD);
    expect(occurrencesThrough).toBe(NOON + (MAX_ENTRIES - 1) * 3_000);
    expect([plannedThrough, bounded]).toEqual([occurrencesThrough, undefined]);
    expect(replanAt).toBeLessThan(occurrencesThrough);
  });

  test("gets no new plan while nothing changes", async () => {
    add(3 * MAX_ENTRIES, (at) => NOON + at * 3_000);
    await plan();
    const { version } = await store.guildPlan(GUILD);
    await plan();
    await expect(store.guildPlan(GUILD)).resolves.toMatchObject({ version });
  });

  test("at one instant has one missed row for each announcement for the occurrences that were not read", async () => {
    const single = { type: "SPECIFIC", eventId: "o000000" as EventId } as const;
    rules = [
      sampleAnnouncement({ id: "all" as AnnouncementId, type: "COLOR", eventColor: "RED" }),
      sampleAnnouncement({ id: "one" as AnnouncementId, ...single }),
      sampleAnnouncement({ id: "off" as AnnouncementId, enabled: false }),
    ];
    add(MAX_ENTRIES + 100, () => NOON - MINUTE);
    add(1, () => NOON, { color: "RED" });
    await plan();
    const missed = () => posts(({ state }) => state === "missed");
    expect(missed()).toMatchObject([{ announcementId: "all", startsAt: NOON - MINUTE + 1 }]);
    expect(missed()[0]?.reason).toMatch("more than 10000 occurrences of the guild were due nearly at once");
    // Later posts are planned nevertheless.
    expect(posts(({ state }) => state === "planned").map(({ dueAt }) => dueAt)).toEqual([NOON - MINUTE, NOON]);
    now += 1;
    await plan();
    expect(missed()).toHaveLength(1);
  });

  test("at one instant has no missed row for an announcement of one occurrence that was read after a split (D51)", async () => {
    rules = [sampleAnnouncement({ id: "one" as AnnouncementId, type: "SPECIFIC", eventId: "former_7" as EventId })];
    const ids = { eventId: "split" as EventId, occurrenceId: "split_7" as OccurrenceId };
    add(1, () => NOON - MINUTE - 1, { ...ids, recurs: true, follows: ["former" as EventId] });
    add(MAX_ENTRIES + 100, () => NOON - MINUTE);
    await plan();
    expect(posts(({ state }) => state === "missed")).toEqual([]);
  });

  test("at one instant ahead has no missed row yet", async () => {
    rules = [sampleAnnouncement({ type: "COLOR", eventColor: "RED" })];
    add(MAX_ENTRIES + 100, () => NOON + MINUTE);
    await plan();
    expect(posts(() => true)).toEqual([]);
  });
});
