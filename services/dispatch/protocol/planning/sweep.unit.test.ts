import { describe, expect, test } from "@jest/globals";
import { newVirtualTime } from "../../../../test/lab/simulator/virtual-time.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";
import type { DueGuild, DueOrder } from "../post-store.ts";
import { newSweep } from "./sweep.ts";

const NOW = 1_000_000;
const SWEEP_MS = 30_000;
const PLAN_MS = 100;
const NEVER = new Promise<never>(() => undefined);

interface SweepOptions {
  /** The rank of this replica for a guild. */
  readonly rank?: (guildId: GuildId) => number;
  /** Guilds whose plans are never stored. */
  readonly stuck?: (guildId: GuildId) => boolean;
  /** Whether a stuck guild is held back. */
  readonly isHeldBack?: boolean;
  readonly onPlanned?: (guildId: GuildId) => void;
}

/** A sweep of due guilds, which are due later once they are planned. */
function sweepOf(
  due: readonly DueGuild[],
  { rank = () => 0, stuck = () => false, isHeldBack = false, onPlanned }: SweepOptions = {},
) {
  const time = newVirtualTime(1, NOW);
  const rows = new Map(due.map(({ guildId, replanAt }) => [guildId, replanAt]));
  const planned: GuildId[] = [];
  let inFlight = 0;
  let maxInFlight = 0;
  let isStopping = false;
  const store = {
    async *guildsToReplan(before: EpochMs, order: DueOrder) {
      const inOrder = [...rows.keys()].toSorted((one, other) => (rows.get(one) ?? 0) - (rows.get(other) ?? 0));
      for (const guildId of order === "latest first" ? inOrder.toReversed() : inOrder) {
        const replanAt = rows.get(guildId) ?? 0;
        if (replanAt < before) yield { guildId, replanAt };
      }
    },
  };
  const planner = {
    request(guildId: GuildId) {
      if (stuck(guildId)) return { planned: NEVER, heldBack: isHeldBack ? Promise.resolve() : NEVER };
      maxInFlight = Math.max(maxInFlight, (inFlight += 1));
      const stored = new Promise<EpochMs>((resolve) => {
        time.after(PLAN_MS, () => {
          inFlight -= 1;
          planned.push(guildId);
          rows.set(guildId, time.now + 24 * 3_600_000);
          onPlanned?.(guildId);
          resolve(time.now);
        });
      });
      return { planned: stored, heldBack: NEVER };
    },
  };
  const lifecycle = {
    get isStopping() {
      return isStopping;
    },
  };
  const ports = { clock: { now: () => time.now }, store } as unknown as Parameters<typeof newSweep>[0];
  const sweep = newSweep(ports, { sweepEveryMs: SWEEP_MS }, lifecycle, planner, { rank });
  let isDone = false;
  return {
    planned,
    maxInFlight: () => maxInFlight,
    isDone: () => isDone,
    stop: () => (isStopping = true),
    plannedElsewhere: (guildId: GuildId) => rows.set(guildId, NOW + SWEEP_MS),
    run: async () => {
      time.after(0, () => void sweep().then(() => (isDone = true)));
      await time.run(NOW + 600_000, () => false);
    },
  };
}

/** Guilds that have been due for so long, in milliseconds. */
function dueFor(overdueMs: number, ...guilds: string[]): DueGuild[] {
  return guilds.map((guildId) => ({ guildId: guildId as GuildId, replanAt: NOW - overdueMs }));
}

const MANY = Array.from({ length: 3_000 }, (_, at) => String(at));

test("a sweep plans every due guild, some at a time", async () => {
  const { planned, maxInFlight, isDone, run } = sweepOf(dueFor(1, ...MANY));
  await run();
  expect(planned).toEqual(MANY);
  expect(maxInFlight()).toBe(64);
  expect(isDone()).toBe(true);
});

test("guilds that are held back keep no others waiting", async () => {
  const stuck = (guildId: GuildId) => Number(guildId) < 1_000;
  const { planned, isDone, run } = sweepOf(dueFor(1, ...MANY), { stuck, isHeldBack: true });
  await run();
  expect(planned).toEqual(MANY.slice(1_000));
  expect(isDone()).toBe(true);
});

test("a sweep is not over while a plan is in progress", async () => {
  const { isDone, run } = sweepOf(dueFor(1, "1", "2"), { stuck: (guildId) => guildId === "2" });
  await run();
  expect(isDone()).toBe(false);
});

test("a sweep begins no plan after the stop", async () => {
  const { planned, stop, run } = sweepOf(dueFor(1, ...MANY), { onPlanned: () => stop() });
  await run();
  expect(planned).toHaveLength(64);
});

describe("a guild of another replica", () => {
  const rank = (guildId: GuildId) => Number(guildId);

  test("is planned after the own guilds, if it was due a sweep before for each rank", async () => {
    const guilds = [...dueFor(3 * SWEEP_MS, "3", "1"), ...dueFor(2 * SWEEP_MS, "2"), ...dueFor(1, "0")];
    const { planned, run } = sweepOf(guilds, { rank });
    await run();
    expect(planned).toEqual(["0", "2", "1", "3"]);
  });

  test("is planned by one of them if both plan the guilds of one", async () => {
    const guilds = MANY.flatMap((guild, at) => dueFor((3_000 - at) * SWEEP_MS, guild));
    const ofOther: GuildId[] = [];
    const { planned, plannedElsewhere, run } = sweepOf(guilds, {
      rank: () => 1,
      onPlanned() {
        const next = MANY[ofOther.length] as GuildId;
        ofOther.push(next);
        plannedElsewhere(next);
      },
    });
    await run();
    const both = planned.filter((guildId) => ofOther.includes(guildId));
    expect(both.length).toBeLessThan(100);
    expect(planned.length).toBeLessThan(MANY.length / 2 + 100);
  });

  test("is left to that one otherwise", async () => {
    const { planned, run } = sweepOf([...dueFor(SWEEP_MS - 1, "1"), ...dueFor(2 * SWEEP_MS - 1, "2")], { rank });
    await run();
    expect(planned).toEqual([]);
  });

  test("is not planned again if its replica has planned it meanwhile", async () => {
    const { planned, plannedElsewhere, run } = sweepOf([...dueFor(5 * SWEEP_MS, "1"), ...dueFor(1, "0")], {
      rank,
      onPlanned: () => plannedElsewhere("1" as GuildId),
    });
    await run();
    expect(planned).toEqual(["0"]);
  });
});
