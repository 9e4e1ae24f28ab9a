import { describe, expect, test } from "@jest/globals";
import { newVirtualTime } from "../../../test/simulator/virtual-time.ts";
import { CHANGE_FEED_OVERLAP_MS, type Change, type ChangesSinceParams } from "../../contracts/change-feed.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { newFollower } from "./follower.ts";
import { newLife } from "./life.ts";
import type { Planner } from "./planner.ts";
import type { Feed, Ports } from "./ports.ts";
import { STANDARD_TIMING } from "./timing.ts";

const GUILD = "1" as GuildId;
const START = 10_000_000;

/** A follower of one owner that changes; tells how many changes were read, and for which guilds plans were asked. */
function followed(clockOfOwner: (now: number) => number = (now) => now) {
  const time = newVirtualTime(1, START);
  const changes: Change[] = [];
  const read: { readonly at: number; readonly count: number }[] = [];
  const touched: number[] = [];
  const saved: number[] = [];
  const timers = {
    after(ms: number, happen: () => void) {
      time.after(ms, happen);
      return () => undefined;
    },
  };
  const owners = {
    async changesSince(feed: Feed, { mark }: ChangesSinceParams) {
      const since = feed === "calendar-events" ? changes.filter(({ changedAt }) => changedAt > mark.at) : [];
      read.push({ at: time.now, count: since.length });
      const last = since.at(-1);
      if (last === undefined) return { changes: [], mark, more: false };
      const next = { at: last.changedAt, id: last.id };
      return { changes: since, mark: next, readAt: clockOfOwner(time.now), more: false };
    },
  };
  const store = {
    marks: async () => ({}),
    guildsToReplan: async () => [],
    saveMark: async () => void saved.push(time.now),
  };
  const ports = { clock: { now: () => time.now }, timers, owners, store, reports: {} } as unknown as Ports;
  const planner = { touch: async () => void touched.push(time.now) } as unknown as Planner;
  time.after(0, () => newFollower(ports, STANDARD_TIMING, newLife(ports), planner).start());
  /** A write that got its time so long before it can be read. */
  const change = (id: string, slowMs = 0) =>
    changes.push({ id, guildId: GUILD, revision: 1, changedAt: clockOfOwner(time.now) - slowMs, deleted: false });
  const countRead = (from: number, until: number) =>
    read.filter(({ at }) => at >= from && at <= until).reduce((sum, { count }) => sum + count, 0);
  return { time, touched, saved, change, countRead, runFor: (ms: number) => time.run(START + ms, () => false) };
}

const MANY = 100;
const { feedEveryMs } = STANDARD_TIMING;

describe("a feed", () => {
  test.each([
    ["goes as ours", 0],
    ["is an hour behind", -3_600_000],
    ["is an hour ahead", 3_600_000],
  ])("is at rest once nothing has changed for as long as the overlap, where the owner's clock %s", async (_, off) => {
    const { time, touched, saved, change, countRead, runFor } = followed((now) => now + off);
    const changedAt = START + 10_500;
    time.after(10_500, () => {
      for (let at = 0; at < MANY; at += 1) change(`e${at}`);
    });
    await runFor(100_000);
    expect(touched).toHaveLength(MANY);
    expect(countRead(changedAt, changedAt + feedEveryMs)).toBeGreaterThanOrEqual(MANY);
    expect(countRead(changedAt + CHANGE_FEED_OVERLAP_MS + 2 * feedEveryMs, Infinity)).toBe(0);
    expect(saved.filter((at) => at >= changedAt)).toHaveLength(1);
  });

  test("finds a write that became visible nine seconds after it got its time", async () => {
    const { time, touched, change, runFor } = followed();
    time.after(1_000, () => change("first"));
    time.after(61_000, () => change("second"));
    time.after(61_000 + feedEveryMs, () => change("slow", 9_000));
    await runFor(61_000 + 3 * feedEveryMs);
    expect(touched).toHaveLength(3);
  });
});
