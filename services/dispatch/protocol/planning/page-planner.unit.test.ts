import { describe, expect, test } from "@jest/globals";
import { newVirtualTime } from "../../../../test/lab/simulator/virtual-time.ts";
import type { Change } from "../../../contracts/change-feed.contract.ts";
import type { PlannedChange } from "../../../contracts/planned-changes.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newInFlightPages } from "./in-flight-pages.ts";
import { newPagePlanner } from "./page-planner.ts";
import { newPlannedChanges } from "./planned-changes.ts";
import type { Planner } from "./planner.ts";
import { newPlanningShares } from "./planning-shares.ts";

const FEED = "calendar-events";
const PLAN_MS = 200;
/** Plans have the posts from this instant on. */
const SINCE = 0;
const NEVER = new Promise<never>(() => undefined);

/** One of two replicas that plan the changes of a page; the other one does nothing but tell. */
function pagePlannerOf(self: "one" | "two", announcing: boolean | "unknown" = true) {
  const time = newVirtualTime(1, 0);
  const planned: { readonly guildId: string; readonly at: number }[] = [];
  const tellings: PlannedChange[][] = [];
  let replicas: readonly string[] = ["one", "two"];
  let isFlapping = false;
  const ports = {
    clock: { now: () => time.now },
    timers: {
      after(ms: number, happen: () => void) {
        time.after(ms, happen);
        return () => undefined;
      },
    },
    owners: {
      async announcingGuilds(guilds: readonly GuildId[]) {
        if (announcing === "unknown") throw new Error("no response");
        return announcing ? guilds : [];
      },
    },
    reports: { operationFailed: () => undefined },
    replicas: {
      self,
      all() {
        if (isFlapping) replicas = replicas.length === 1 ? ["one", "two"] : [self];
        return replicas;
      },
      tellPlanned: (changes: PlannedChange[]) => void tellings.push(changes),
    },
  } as unknown as Ports;
  const planner = {
    request(guildId: GuildId) {
      planned.push({ guildId, at: time.now });
      const done = new Promise<number>((resolve) => time.after(PLAN_MS, () => resolve(time.now)));
      return { planned: done, heldBack: NEVER };
    },
    isBeyondHorizon: () => false,
  } as unknown as Planner;
  const shares = newPlanningShares(ports.replicas, ports.clock, STANDARD_TIMING, () => undefined);
  const changes = newPlannedChanges(shares);
  const planning = { planner, shares, planned: changes };
  const pages = newPagePlanner(ports, STANDARD_TIMING, newLifecycle(ports), FEED, planning, newInFlightPages());
  let doneAt: number | undefined;
  return {
    time,
    shares,
    planned,
    tellings,
    told: (...some: readonly PlannedChange[]) => changes.addTold(some),
    /** Another replica tells, every 400 ms until an instant, of a change of some other guild. */
    tellOften: (replica: string, until: number) => {
      for (let at = 0; at < until; at += 400) time.after(at, () => shares.onTold(replica));
    },
    setReplicas: (...names: string[]) => (replicas = names),
    flap: () => (isFlapping = true),
    plan: async (...page: Change[]) => {
      const plans = await pages.begin(await pages.select(page, SINCE), 0);
      await Promise.all(plans);
      doneAt = time.now;
    },
    doneAt: () => doneAt,
    run: (until: number) => time.run(until, () => false),
  };
}

function changeOf(guildId: string, revision = 1): Change {
  return { id: `event of ${guildId}`, guildId: guildId as GuildId, revision, changedAt: 1_000, deleted: false };
}

function plannedOf(guildId: string, revision = 1): PlannedChange {
  return { feed: FEED, id: `event of ${guildId}`, revision, since: 0 };
}

/** A guild that replica "one" plans first, and "two" after it. */
const GUILD = ["1", "2", "3", "4", "5", "6", "7", "8"].find(
  (guildId) => pagePlannerOf("one").shares.rank(guildId as GuildId) === 0,
) as string;

describe("a changed guild of two replicas", () => {
  test("is planned at once by one, which tells the other when the plan is stored", async () => {
    const { time, plan, planned, tellings, run } = pagePlannerOf("one");
    const before: number[] = [];
    time.after(0, () => void plan(changeOf(GUILD)));
    time.after(PLAN_MS - 1, () => before.push(tellings.length));
    await run(5_000);
    expect(planned).toEqual([{ guildId: GUILD, at: 0 }]);
    expect(before).toEqual([0]);
    expect(tellings).toEqual([[plannedOf(GUILD)]]);
  });

  test("is not planned by the other one, which was told", async () => {
    const { time, plan, planned, told, doneAt, run } = pagePlannerOf("two");
    time.after(0, () => void plan(changeOf(GUILD)));
    time.after(300, () => told(plannedOf(GUILD)));
    await run(5_000);
    expect(planned).toEqual([]);
    expect(doneAt()).toBe(STANDARD_TIMING.planRankStepMs);
  });

  test.each([
    ["was not told within a second", []],
    ["was told of another revision", [plannedOf(GUILD, 2)]],
    ["was told of a plan that begins after the change", [{ ...plannedOf(GUILD), since: 1_001 }]],
    ["was told of another feed's record", [{ ...plannedOf(GUILD), feed: "announcements" as const }]],
  ])("is planned by the other one if it %s, and counts as planned only then", async (_, tellings) => {
    const { time, plan, planned, told, doneAt, run } = pagePlannerOf("two");
    time.after(0, () => void plan(changeOf(GUILD)));
    time.after(300, () => told(...tellings));
    await run(5_000);
    expect(planned).toEqual([{ guildId: GUILD, at: STANDARD_TIMING.planRankStepMs }]);
    expect(doneAt()).toBe(STANDARD_TIMING.planRankStepMs + PLAN_MS);
  });

  test("is not planned by the other one after an older change, if it was told of as early a plan", async () => {
    const { time, plan, planned, told, doneAt, run } = pagePlannerOf("two");
    time.after(0, () => void plan({ ...changeOf(GUILD), changedAt: SINCE - 5_000 }));
    time.after(300, () => told({ ...plannedOf(GUILD), since: SINCE }));
    await run(5_000);
    expect(planned).toEqual([]);
    expect(doneAt()).toBe(STANDARD_TIMING.planRankStepMs);
  });

  test("is awaited while the first replica tells of others, and not planned by the other one once it is told", async () => {
    const { time, plan, planned, told, tellOften, doneAt, run } = pagePlannerOf("two");
    time.after(0, () => void plan(changeOf(GUILD)));
    tellOften("one", 8_000);
    time.after(6_500, () => told(plannedOf(GUILD)));
    await run(20_000);
    expect(planned).toEqual([]);
    expect(doneAt()).toBe(7_000);
  });

  test.each([
    ["has become silent", "one", 3_001, 6_000],
    ["tells of others for half a minute", "one", 60_000, STANDARD_TIMING.planTakeoverMs],
    ["is silent while an unknown one tells", "three", 20_000, STANDARD_TIMING.planRankStepMs],
  ])("is planned by the other one if the first %s", async (_, replica, until, at) => {
    const { time, plan, planned, tellOften, run } = pagePlannerOf("two");
    time.after(0, () => void plan(changeOf(GUILD)));
    tellOften(replica, until);
    await run(60_000);
    expect(planned).toEqual([{ guildId: GUILD, at }]);
  });

  test("is planned for a deletion, which may have the revision of the change before", async () => {
    const { time, plan, planned, told, run } = pagePlannerOf("two");
    told(plannedOf(GUILD));
    time.after(0, () => void plan({ ...changeOf(GUILD), deleted: true }));
    await run(5_000);
    expect(planned).toHaveLength(1);
  });

  test("is planned by its first replica, whatever another one says: its lead times are known from its own plans", async () => {
    const { time, plan, planned, told, run } = pagePlannerOf("one");
    told(plannedOf(GUILD));
    time.after(0, () => void plan(changeOf(GUILD)));
    await run(5_000);
    expect(planned).toHaveLength(1);
  });

  test("costs the other one nothing if it needs no plan", async () => {
    const { time, plan, planned, tellings, run } = pagePlannerOf("one", false);
    time.after(0, () => void plan(changeOf(GUILD)));
    await run(5_000);
    expect(planned).toEqual([]);
    expect(tellings).toEqual([[plannedOf(GUILD)]]);
  });

  test.each([
    ["is not planned by the other one if it needs no plan", false, []],
    ["is planned by the other one if the owner does not say whether it needs a plan", "unknown" as const, [GUILD]],
  ])("that nobody has planned %s", async (_, announcing, guilds) => {
    const { time, plan, planned, doneAt, run } = pagePlannerOf("two", announcing);
    time.after(0, () => void plan(changeOf(GUILD)));
    await run(5_000);
    expect(planned.map(({ guildId }) => guildId)).toEqual(guilds);
    expect(doneAt()).toBeLessThan(2_000);
  });

  test("is planned at once by the other one when the first has left, and nobody is told", async () => {
    const { time, plan, planned, tellings, setReplicas, run } = pagePlannerOf("two");
    setReplicas("two");
    time.after(0, () => void plan(changeOf(GUILD)));
    await run(5_000);
    expect(planned).toEqual([{ guildId: GUILD, at: 0 }]);
    expect(tellings).toEqual([]);
  });
});

test("no change is lost while the other replica comes and goes", async () => {
  const { time, plan, planned, flap, run } = pagePlannerOf("two");
  const guilds = Array.from({ length: 40 }, (_, at) => String(at));
  flap();
  time.after(0, () => void plan(...guilds.map((guildId) => changeOf(guildId))));
  await run(10_000);
  expect(new Set(planned.map(({ guildId }) => guildId))).toEqual(new Set(guilds));
});

describe("the generation of the shares", () => {
  test("is another one after the known replicas have changed and changed back", () => {
    const { shares, setReplicas } = pagePlannerOf("one");
    const before = shares.generation();
    expect(shares.generation()).toBe(before);
    setReplicas("one");
    shares.rank("1" as GuildId);
    setReplicas("one", "two");
    expect(shares.generation()).toBeGreaterThan(before);
  });
});
