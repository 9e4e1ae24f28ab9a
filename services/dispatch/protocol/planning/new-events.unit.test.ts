import { describe, expect, test } from "@jest/globals";
import { sampleAnnouncement } from "../../../../test/fixtures/dispatch-samples.ts";
import { newMemoryPostStore } from "../../../../test/lab/simulator/memory-post-store.ts";
import { newVirtualTime } from "../../../../test/lab/simulator/virtual-time.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";
import { newPlanner } from "./planner.ts";
import { newPlanningShares } from "./planning-shares.ts";

const GUILD = "1" as GuildId;
const HOUR = 3_600_000;
const PLAN_MS = 100;
const { horizonMs } = STANDARD_TIMING;

/** A planner of a guild with these announcements and without events; a plan takes 100 ms, and reads the announcements first. */
function plannerWith(...announcements: Announcement[]) {
  const time = newVirtualTime(1, 0);
  let rules: readonly Announcement[] = announcements;
  let replicas: readonly string[] = ["one"];
  const timers = {
    after(ms: number, happen: () => void) {
      time.after(ms, happen);
      return () => undefined;
    },
  };
  const ports = {
    clock: { now: () => time.now },
    timers,
    store: newMemoryPostStore(() => time.now),
    sinks: [{ name: "log" }],
    owners: {
      async announcementRules() {
        const read = rules;
        await new Promise<void>((resolve) => time.after(PLAN_MS, resolve));
        return read;
      },
      occurrences: async () => ({ occurrences: [], truncated: false }),
    },
    random: { fraction: () => 0.5 },
    reports: {},
  } as unknown as Ports;
  const shares = newPlanningShares({ self: "one", all: () => replicas });
  const planner = newPlanner(ports, STANDARD_TIMING, newLifecycle(ports), shares, () => undefined);
  return {
    time,
    plan: () => void planner.requestReplan(GUILD, time.now),
    setReplicas: (...names: string[]) => {
      replicas = names;
      shares.rank(GUILD);
    },
    setAnnouncements: (...next: Announcement[]) => (rules = next),
    /** Whether an event that starts after this time from now leaves the plan as it is. */
    isBeyondHorizon: (inMs: number) => planner.isBeyondHorizon(GUILD, time.now + inMs),
    run: (until: number) => time.run(until, () => false),
  };
}

describe("a new event of a guild", () => {
  test("changes the plan, wherever it starts, if an announcement counts from the creation", async () => {
    const created = sampleAnnouncement({ offsets: [{ anchor: "CREATED", minutes: 0 }] });
    const after = sampleAnnouncement({ offsets: [{ anchor: "END", minutes: 60 }] });
    const [byCreation, byEnd] = [plannerWith(created, after), plannerWith(after)];
    for (const { time, plan, run } of [byCreation, byEnd]) {
      time.after(0, plan);
      await run(1_000);
    }
    expect(byCreation.isBeyondHorizon(horizonMs + 1_000 * HOUR)).toBe(false);
    expect(byEnd.isBeyondHorizon(horizonMs)).toBe(true);
    expect(byEnd.isBeyondHorizon(horizonMs - 2 * HOUR)).toBe(false);
  });

  test("leaves the plan as it is if it starts after the horizon and the longest lead time", async () => {
    const { time, plan, isBeyondHorizon, run } = plannerWith(
      sampleAnnouncement({ hours: 24 }),
      sampleAnnouncement({ hours: 2 }),
      sampleAnnouncement({ hours: 500, enabled: false }),
    );
    time.after(0, plan);
    await run(10 * HOUR);
    expect(isBeyondHorizon(horizonMs + 24 * HOUR)).toBe(true);
    expect(isBeyondHorizon(horizonMs + 24 * HOUR - 1)).toBe(false);
  });

  test("may be the holiday of a planned post although it starts up to two days and four hours later (D66)", async () => {
    const { time, plan, isBeyondHorizon, run } = plannerWith(sampleAnnouncement({ hours: 24, skipOn: 2 }));
    time.after(0, plan);
    await run(10 * HOUR);
    expect(isBeyondHorizon(horizonMs + (24 + 52) * HOUR)).toBe(true);
    expect(isBeyondHorizon(horizonMs + (24 + 52) * HOUR - 1)).toBe(false);
  });

  test("leaves the plan as it is whenever it starts if no announcement is enabled", async () => {
    const { time, plan, isBeyondHorizon, run } = plannerWith(sampleAnnouncement({ enabled: false }));
    time.after(0, plan);
    await run(1_000);
    expect(isBeyondHorizon(0)).toBe(true);
  });

  test("may change the plan if this process has not planned the guild", () => {
    expect(plannerWith().isBeyondHorizon(1_000 * HOUR)).toBe(false);
  });

  test("may change the plan while another change of the guild waits for a plan, or is planned", async () => {
    const { time, plan, isBeyondHorizon, run } = plannerWith(sampleAnnouncement());
    const seen: boolean[] = [];
    for (const at of [0, 1_000]) time.after(at, plan);
    for (const at of [PLAN_MS - 1, 999, 1_000, 1_000 + PLAN_MS - 1]) {
      time.after(at, () => seen.push(isBeyondHorizon(1_000 * HOUR)));
    }
    await run(2_000);
    expect(seen).toEqual([false, true, false, false]);
    expect(isBeyondHorizon(1_000 * HOUR)).toBe(true);
  });

  test("may change the plan after another replica has run, which may have planned longer lead times", async () => {
    const { time, plan, setReplicas, isBeyondHorizon, run } = plannerWith(sampleAnnouncement());
    time.after(0, plan);
    await run(1_000);
    expect(isBeyondHorizon(1_000 * HOUR)).toBe(true);
    setReplicas("one", "two");
    setReplicas("one");
    expect(isBeyondHorizon(1_000 * HOUR)).toBe(false);
  });

  test("is planned by a lead time that was set while the plan before was made", async () => {
    const { time, plan, setAnnouncements, isBeyondHorizon, run } = plannerWith(sampleAnnouncement());
    const afterFirst: boolean[] = [];
    time.after(0, plan);
    time.after(PLAN_MS / 2, () => setAnnouncements(sampleAnnouncement({ hours: 500 })));
    time.after(PLAN_MS / 2, plan);
    time.after(PLAN_MS + 1, () => afterFirst.push(isBeyondHorizon(horizonMs + 499 * HOUR)));
    await run(2_000);
    expect(afterFirst).toEqual([false]);
    expect(isBeyondHorizon(horizonMs + 499 * HOUR)).toBe(false);
    expect(isBeyondHorizon(horizonMs + 500 * HOUR)).toBe(true);
  });
});
