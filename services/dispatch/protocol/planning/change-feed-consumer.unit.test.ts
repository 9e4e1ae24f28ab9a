import { describe, expect, test } from "@jest/globals";
import { newVirtualTime } from "../../../../test/lab/simulator/virtual-time.ts";
import {
  CHANGE_FEED_OVERLAP_MS,
  type Change,
  type ChangesSinceParams,
} from "../../../contracts/change-feed.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { newChangeFeedConsumer } from "./change-feed-consumer.ts";
import { newLifecycle } from "../lifecycle.ts";
import type { Planner } from "./planner.ts";
import { type Feed, FEEDS } from "../feeds.ts";
import type { Ports } from "../ports.ts";
import { STANDARD_TIMING } from "../timing.ts";

const START = 10_000_000;

interface ConsumerOptions {
  readonly clockOfOwner?: (now: number) => number;
  readonly pageMs?: number;
  readonly planMs?: number;
  readonly announcing?: boolean;
  readonly markedAt?: number | undefined;
  /** The feed that has the changes. */
  readonly changing?: Feed;
}

/** A consumer of the feeds, of which one has changes. Records which changes are read, and for which guilds plans are requested. */
function followed({
  clockOfOwner = (now) => now,
  pageMs = 0,
  planMs = 0,
  announcing = true,
  markedAt,
  changing = "calendar-events",
}: ConsumerOptions = {}) {
  const time = newVirtualTime(1, START);
  const changes: Change[] = [];
  const read: { readonly at: number; readonly count: number }[] = [];
  const touched: number[] = [];
  const saved: number[] = [];
  /** Every question about a page's guilds, to whom it was put. */
  const asked: string[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const timers = {
    after(ms: number, happen: () => void) {
      time.after(ms, happen);
      return () => undefined;
    },
  };
  const owners = {
    async announcingGuilds(guildIds: readonly GuildId[]) {
      asked.push("the owner of announcements");
      return announcing ? guildIds : [];
    },
    async changesSince(feed: Feed, { mark, limit }: ChangesSinceParams) {
      const since = feed === changing ? changes.filter((change) => isAfter(change, mark)).toSorted(inOrder) : [];
      await new Promise<void>((answer) => time.after(pageMs, answer));
      const page = since.slice(0, limit);
      read.push({ at: time.now, count: page.length });
      const last = page.at(-1);
      if (last === undefined) return { changes: [], mark, more: false };
      const next = { at: last.changedAt, id: last.id };
      return { changes: page, mark: next, readAt: clockOfOwner(time.now), more: since.length > limit };
    },
  };
  const store = {
    changeMarks: async () =>
      markedAt === undefined ? {} : Object.fromEntries(FEEDS.map((feed) => [feed, { at: markedAt, id: "" }])),
    guildsToReplan: async () => [],
    async plannedGuilds() {
      asked.push("the own store");
      return [];
    },
    saveChangeMark: async () => void saved.push(time.now),
  };
  const ports = { clock: { now: () => time.now }, timers, owners, store, reports: {} } as unknown as Ports;
  const life = newLifecycle(ports);
  const planner = {
    async requestReplan() {
      touched.push(time.now);
      mostUnderWay = Math.max(mostUnderWay, (underWay += 1));
      const beganAt = time.now;
      if (planMs > 0) await new Promise<void>((planned) => time.after(planMs, planned));
      underWay -= 1;
      return beganAt;
    },
  } as unknown as Planner;
  const follower = newChangeFeedConsumer(ports, STANDARD_TIMING, life, planner, { firstAt: () => time.now });
  time.after(0, () => follower.start());
  /** A write that got its time so long before it can be read. */
  const change = (id: string, slowMs = 0, guildId = id) =>
    changes.push({
      id,
      guildId: guildId as GuildId,
      revision: 1,
      changedAt: clockOfOwner(time.now) - slowMs,
      deleted: false,
    });
  const countRead = (from: number, until: number) =>
    read.filter(({ at }) => at >= from && at <= until).reduce((sum, { count }) => sum + count, 0);
  return {
    time,
    life,
    read,
    touched,
    saved,
    asked,
    mostUnderWay: () => mostUnderWay,
    /** How far the feed of the owner that changes is planned. */
    progress: () => follower.progress().find(({ feed }) => feed === changing),
    change,
    countRead,
    runFor: (ms: number) => time.run(START + ms, () => false),
  };
}

function isAfter({ changedAt, id }: Change, mark: ChangesSinceParams["mark"]): boolean {
  return changedAt > mark.at || (changedAt === mark.at && id > mark.id);
}

function inOrder(one: Change, other: Change): number {
  return one.changedAt - other.changedAt || (one.id < other.id ? -1 : 1);
}

const MANY = 100;
const { feedEveryMs } = STANDARD_TIMING;

describe("a feed", () => {
  test.each([
    ["goes as ours", 0],
    ["is an hour behind", -3_600_000],
    ["is an hour ahead", 3_600_000],
  ])("is at rest once nothing has changed for as long as the overlap, where the owner's clock %s", async (_, off) => {
    const { time, touched, saved, change, countRead, runFor } = followed({ clockOfOwner: (now) => now + off });
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

  describe("tells how far it is planned", () => {
    test("as not known before a mark is read, and then as the mark until a reading is complete", async () => {
      const markedAt = START - 3_600_000;
      const { time, progress, change, runFor } = followed({ markedAt, planMs: 50_000 });
      expect(progress()).toMatchObject({ plannedThrough: undefined });
      const seen: unknown[] = [];
      change("old", 60_000);
      time.after(30_000, () => seen.push(progress()));
      await runFor(70_000);
      expect(seen).toEqual([{ feed: "calendar-events", plannedThrough: markedAt, waiting: 1 }]);
      expect(progress()).toMatchObject({ waiting: 0 });
      expect(progress()?.plannedThrough).toBeGreaterThan(START);
    });

    test("and counts the changes that are read and not planned", async () => {
      const { time, progress, change, runFor } = followed({ planMs: 10_000 });
      time.after(5_000, () => {
        for (let at = 0; at < 3; at += 1) change(`e${at}`);
      });
      const waiting: (number | undefined)[] = [];
      for (const at of [4_000, 12_000, 60_000]) time.after(at, () => waiting.push(progress()?.waiting));
      await runFor(61_000);
      expect(waiting[0]).toBe(0);
      expect(waiting[1]).toBeGreaterThanOrEqual(3);
      expect(waiting[2]).toBe(0);
    });
  });

  describe("with many pages to be read", () => {
    const PAGE = 250;
    const IMPORTED_AT = 20_000;

    /** So many pages of changes at once, and the follower that reads them. */
    function importing(pages: number, pageMs: number) {
      const it = followed({ pageMs });
      it.time.after(IMPORTED_AT, () => {
        for (let at = 0; at < pages * PAGE; at += 1) it.change(`e${String(at).padStart(6, "0")}`);
      });
      const fullPagesAt = () => it.read.filter(({ count }) => count === PAGE).map(({ at }) => at);
      return { ...it, fullPagesAt };
    }

    test("leaves others four times as long as each page took", async () => {
      const { runFor, fullPagesAt } = importing(3, 10);
      await runFor(IMPORTED_AT + feedEveryMs + 200);
      const [first = 0, ...others] = fullPagesAt();
      expect(others).toEqual([first + 50, first + 100]);
    });

    test("takes no rest any more once the next reading would be due", async () => {
      const { runFor, fullPagesAt } = importing(9, 600);
      await runFor(IMPORTED_AT + 12_000);
      const pauses = fullPagesAt().map((at, page, all) => at - (all[page - 1] ?? 0));
      expect(pauses.slice(1, 9)).toEqual([2_600, 600, 600, 600, 600, 600, 600, 600]);
    });

    test("finds a write that became visible behind them eight seconds after it got its time", async () => {
      const { time, touched, change, runFor } = importing(40, 500);
      time.after(IMPORTED_AT + 3_000, () => change("slow", 8_000));
      time.after(IMPORTED_AT + 15_000, () => change("while it reads"));
      await runFor(70_000);
      expect(touched).toHaveLength(40 * PAGE + 2);
    });

    test("reads none of them after the stop", async () => {
      const { time, life, runFor, fullPagesAt } = importing(40, 500);
      const stoppedAt = IMPORTED_AT + 3 * feedEveryMs;
      time.after(stoppedAt, () => life.stop());
      await runFor(70_000);
      expect(fullPagesAt().length).toBeGreaterThan(0);
      expect(fullPagesAt().filter((at) => at > START + stoppedAt + 500)).toEqual([]);
    });
  });

  describe("with a backlog of old changes", () => {
    const PAGES = 40;
    const PAGE = 250;

    /** So many pages of changes that are an hour old, of as many guilds as are named. */
    function backlog(guilds: number, options: Parameters<typeof followed>[0]) {
      const it = followed(options);
      it.time.after(0, () => {
        for (let at = 0; at < PAGES * PAGE; at += 1) {
          it.change(`e${String(at).padStart(6, "0")}`, 3_600_000 - at, `g${at % guilds}`);
        }
      });
      return it;
    }

    test("reads on only as guilds are planned: sixty-four wait at a time, whatever has changed", async () => {
      const { time, mostUnderWay, read, touched, runFor } = backlog(PAGES * PAGE, { planMs: 1_000 });
      let readBy = 0;
      time.after(60_000, () => (readBy = read.filter(({ count }) => count > 0).length));
      await runFor(300_000);
      expect(mostUnderWay()).toBe(64);
      expect(readBy).toBeLessThan(PAGES / 2);
      expect(touched).toHaveLength(PAGES * PAGE);
    });

    test("stores its mark page by page, so that a crash does not begin again", async () => {
      const { time, saved, runFor } = backlog(PAGES * PAGE, { planMs: 1_000 });
      let savedBy = 0;
      time.after(60_000, () => (savedBy = saved.length));
      await runFor(300_000);
      expect(savedBy).toBeGreaterThan(10);
      expect(savedBy).toBeLessThan(PAGES);
      expect(saved.length).toBeGreaterThanOrEqual(PAGES);
    });

    test.each([
      ["calendar-events", ["the owner of announcements"]],
      ["guild-settings", ["the owner of announcements"]],
      ["announcements", ["the own store", "the owner of announcements"]],
    ] as const)(
      "of %s costs for guilds that announce nothing a page %j, and plans none",
      async (changing, expected) => {
        const { asked, read, touched, runFor } = backlog(PAGES * PAGE, { announcing: false, changing });
        await runFor(60_000);
        expect(read.filter(({ count }) => count > 0)).toHaveLength(PAGES);
        expect(asked.toSorted()).toEqual(expected.flatMap((each) => Array.from({ length: PAGES }, () => each)));
        expect(touched).toEqual([]);
      },
    );

    test("plans a guild once, however many of its rows have changed", async () => {
      const { touched, runFor } = backlog(10, { planMs: 100 });
      await runFor(60_000);
      expect(touched.length).toBeLessThan(PAGES * 5);
      expect(touched.length).toBeGreaterThanOrEqual(10);
    });
  });
});
