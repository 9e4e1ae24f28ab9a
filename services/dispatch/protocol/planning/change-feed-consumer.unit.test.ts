import { describe, expect, test } from "@jest/globals";
import { consumed, HORIZON, START } from "../../../../test/fixtures/consumed-feed.ts";
import { sharedWith } from "../../../../test/fixtures/known-replicas.ts";
import { CHANGE_FEED_OVERLAP_MS } from "../../../contracts/change-feed.contract.ts";
import type { GuildId } from "../../../contracts/ids.ts";
import { STANDARD_TIMING } from "../timing.ts";

const MANY = 100;
const { feedEveryMs } = STANDARD_TIMING;

describe("the consumer of a change feed", () => {
  test.each([
    ["is exact", 0],
    ["is an hour behind", -3_600_000],
    ["is an hour ahead", 3_600_000],
  ])("reads no change again after one overlap without changes, if the owner's clock %s", async (_, off) => {
    const { time, requested, change, countRead, runFor } = consumed({ clockOfOwner: (now) => now + off });
    const changedAt = START + 10_500;
    time.after(10_500, () => {
      for (let at = 0; at < MANY; at += 1) change(`e${at}`);
    });
    await runFor(100_000);
    expect(requested).toHaveLength(MANY);
    expect(countRead(changedAt, changedAt + feedEveryMs)).toBeGreaterThanOrEqual(MANY);
    expect(countRead(changedAt + CHANGE_FEED_OVERLAP_MS + 2 * feedEveryMs, Infinity)).toBe(0);
  });

  test("plans no posts that were due before dispatch first ran, although an incomplete read has stored a mark", async () => {
    const { plannedSince, change, runFor } = consumed({ markedAt: START - 3_600_000 });
    change("old", 60_000);
    await runFor(10_000);
    expect(plannedSince).toHaveLength(1);
    expect(plannedSince[0]).toBeGreaterThanOrEqual(START - CHANGE_FEED_OVERLAP_MS);
  });

  test("finds a write that became visible nine seconds after its timestamp", async () => {
    const { time, requested, change, runFor } = consumed();
    time.after(1_000, () => change("first"));
    time.after(61_000, () => change("second"));
    time.after(61_000 + feedEveryMs, () => change("slow", 9_000));
    await runFor(61_000 + 3 * feedEveryMs);
    expect(requested).toHaveLength(3);
  });

  describe("reports how far the feed is planned", () => {
    test("as unknown before the mark is read, and as the mark until a read is complete", async () => {
      const markedAt = START - 3_600_000;
      const { time, progress, change, runFor } = consumed({ markedAt, planMs: 50_000 });
      expect(progress()).toMatchObject({ plannedThrough: undefined });
      const seen: unknown[] = [];
      change("old", 60_000);
      time.after(30_000, () => seen.push(progress()));
      await runFor(70_000);
      expect(seen).toMatchObject([{ feed: "calendar-events", plannedThrough: markedAt, waiting: 1 }]);
      expect(progress()).toMatchObject({ waiting: 0 });
      expect(progress()?.plannedThrough).toBeGreaterThan(START);
    });

    test("with the number of changes that are read and not planned", async () => {
      const { time, progress, change, runFor } = consumed({ planMs: 10_000 });
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

    test("without those that were read in vain while it was not known which guilds have announcements", async () => {
      const { time, requested, progress, change, runFor } = consumed({ announcementsFailUntil: 30_000 });
      time.after(5_000, () => change("changed"));
      const waiting: (number | undefined)[] = [];
      for (const at of [25_000, 60_000]) time.after(at, () => waiting.push(progress()?.waiting));
      await runFor(61_000);
      expect(waiting).toEqual([0, 0]);
      expect(requested).toHaveLength(1);
    });

    test("with the position after which nothing is read yet", async () => {
      const { time, progress, change, runFor } = consumed({ pageMs: 100 });
      time.after(5_000, () => {
        for (let at = 0; at < 1_000; at += 1) change(`e${1_000 + at}`);
      });
      const positions: unknown[] = [];
      for (let at = 4_000; at < 20_000; at += 100) time.after(at, () => positions.push(progress()?.unread[0]?.mark.id));
      await runFor(21_000);
      expect([...new Set(positions)]).toEqual([undefined, "e1249", "e1499", "e1749"]);
      expect(positions.at(-1)).toBeUndefined();
    });
  });

  describe("while one guild is held back and changes all the time", () => {
    const GUILD = "99" as GuildId;

    function changing(requestableAt?: number) {
      const it = consumed({ heldBack: GUILD, ...(requestableAt !== undefined && { requestableAt }) });
      const changeAgain = () => {
        it.change(`e${it.time.now}`, 0, GUILD);
        it.time.after(1_000, changeAgain);
      };
      it.time.after(1_000, changeAgain);
      return it;
    }

    test("the changes of the other guilds count as planned, because each of its changes has a stored request", async () => {
      const { time, saved, storedRequests, progress, change, runFor } = changing();
      time.after(30_000, () => change("of another guild"));
      await runFor(60_500);
      expect(progress()?.plannedThrough).toBeGreaterThan(START + 60_000 - 2 * feedEveryMs);
      expect(saved.at(-1)?.mark?.at).toBeGreaterThan(START + 60_000 - 4 * feedEveryMs);
      const requestedAt = storedRequests.map(({ at }) => at);
      expect(new Set(storedRequests.map(({ guildId }) => guildId))).toEqual(new Set([GUILD]));
      expect(Math.max(...requestedAt)).toBeGreaterThan(START + 60_000 - 2 * feedEveryMs);
    });

    test("no change counts as planned until its request is stored", async () => {
      const { saved, progress, runFor } = changing(Infinity);
      await runFor(60_000);
      expect(progress()?.plannedThrough).toBeLessThan(START + 1_000);
      expect(Math.max(0, ...saved.map(({ mark }) => mark?.at ?? 0))).toBeLessThan(START + 1_000);
    });
  });

  describe("with many pages to read", () => {
    const PAGE = 250;

    test("reads no further pages of the guilds of a replica that joins meanwhile", async () => {
      const { requested, change, runFor } = consumed({ pageMs: 100, joinedAt: 200 });
      const guilds = Array.from({ length: 4 * PAGE }, (_, at) => String(1_000 + at) as GuildId);
      for (const guild of guilds) change(`e${guild}`, 0, guild);
      await runFor(20_000);
      const shares = sharedWith("two");
      const planned = guilds.filter((guild, at) => at < PAGE || shares.rank(guild) === 0);
      expect(requested).toHaveLength(planned.length);
    });

    const IMPORTED_AT = 20_000;

    /** Many pages of changes at one instant. */
    function importing(pages: number, pageMs: number) {
      const it = consumed({ pageMs });
      it.time.after(IMPORTED_AT, () => {
        for (let at = 0; at < pages * PAGE; at += 1) it.change(`e${String(at).padStart(6, "0")}`);
      });
      const fullPagesAt = () => it.read.filter(({ count }) => count === PAGE).map(({ at }) => at);
      return { ...it, fullPagesAt };
    }

    test("pauses four times as long as each page took", async () => {
      const { runFor, fullPagesAt } = importing(3, 10);
      await runFor(IMPORTED_AT + feedEveryMs + 200);
      const [first = 0, ...others] = fullPagesAt();
      expect(others).toEqual([first + 50, first + 100]);
    });

    test("stops pausing once the next read would be due", async () => {
      const { runFor, fullPagesAt } = importing(9, 600);
      await runFor(IMPORTED_AT + 12_000);
      const pauses = fullPagesAt().map((at, page, all) => at - (all[page - 1] ?? 0));
      expect(pauses.slice(1, 9)).toEqual([2_600, 600, 600, 600, 600, 600, 600, 600]);
    });

    test("finds a write that became visible behind the pages, eight seconds after its timestamp", async () => {
      const { time, requested, change, runFor } = importing(40, 500);
      time.after(IMPORTED_AT + 3_000, () => change("slow", 8_000));
      time.after(IMPORTED_AT + 15_000, () => change("while it reads"));
      await runFor(70_000);
      expect(requested).toHaveLength(40 * PAGE + 2);
    });

    test("reads none of them after the stop", async () => {
      const { time, lifecycle, runFor, fullPagesAt } = importing(40, 500);
      const stoppedAt = IMPORTED_AT + 3 * feedEveryMs;
      time.after(stoppedAt, () => lifecycle.stop());
      await runFor(70_000);
      expect(fullPagesAt().length).toBeGreaterThan(0);
      expect(fullPagesAt().filter((at) => at > START + stoppedAt + 500)).toEqual([]);
    });
  });

  describe("with a backlog of old changes", () => {
    const PAGES = 40;
    const PAGE = 250;

    /** Many pages of changes of that many guilds, an hour old. */
    function backlog(guilds: number, options: Parameters<typeof consumed>[0]) {
      const it = consumed(options);
      it.time.after(0, () => {
        for (let at = 0; at < PAGES * PAGE; at += 1) {
          it.change(`e${String(at).padStart(6, "0")}`, 3_600_000 - at, `${1_000 + (at % guilds)}`);
        }
      });
      return it;
    }

    test("reads on only as guilds are planned, at most sixty-four at a time", async () => {
      const { time, maxInFlight, read, requested, runFor } = backlog(PAGES * PAGE, { planMs: 1_000 });
      let readBy = 0;
      time.after(60_000, () => (readBy = read.filter(({ count }) => count > 0).length));
      await runFor(300_000);
      expect(maxInFlight()).toBe(64);
      expect(readBy).toBeLessThan(PAGES / 2);
      expect(requested).toHaveLength(PAGES * PAGE);
    });

    test("says to the others while a page is planned that it reads the changes", async () => {
      const options = { planMs: 8_000, markedAt: START - 7_200_000, otherReplicas: ["two"] };
      const { saved, runFor } = backlog(PAGES * PAGE, options);
      await runFor(60_000);
      const pauses = saved.map(({ at }, index) => at - (saved[index - 1]?.at ?? START));
      expect(saved.length).toBeGreaterThan(5);
      expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
    });

    test("stores its mark page by page, so that a restart continues there", async () => {
      const { time, saved, runFor } = backlog(PAGES * PAGE, { planMs: 1_000 });
      let savedBy = 0;
      const pagesSaved = () => new Set(saved.map(({ mark }) => mark?.at)).size;
      time.after(60_000, () => (savedBy = pagesSaved()));
      await runFor(300_000);
      expect(savedBy).toBeGreaterThan(10);
      expect(savedBy).toBeLessThan(PAGES);
      expect(pagesSaved()).toBeGreaterThanOrEqual(PAGES);
    });

    test.each([
      ["calendar-events", ["the owner of announcements"]],
      ["guild-settings", ["the owner of announcements"]],
      ["announcements", ["the owner of announcements", "the store"]],
    ] as const)(
      "of %s plans no guild without announcements, at the cost of %j for a page",
      async (changing, expected) => {
        const { queries, read, requested, runFor } = backlog(PAGES * PAGE, { announcing: false, changing });
        await runFor(60_000);
        expect(read.filter(({ count }) => count > 0)).toHaveLength(PAGES);
        expect(queries.toSorted()).toEqual(expected.flatMap((each) => Array.from({ length: PAGES }, () => each)));
        expect(requested).toEqual([]);
      },
    );

    test("plans no guild for a new event beyond the horizon, and stores the mark behind it", async () => {
      const { time, requested, saved, progress, change, runFor } = consumed();
      time.after(10_000, () => change("far", 0, "1", HORIZON));
      time.after(20_000, () => change("near", 0, "2", HORIZON - 1));
      let savedBefore = 0;
      time.after(19_000, () => (savedBefore = saved.length));
      await runFor(60_000);
      expect(requested).toHaveLength(1);
      expect(savedBefore).toBeGreaterThan(0);
      expect(progress()?.waiting).toBe(0);
    });

    test("plans a guild once for many changes", async () => {
      const { requested, runFor } = backlog(10, { planMs: 100 });
      await runFor(60_000);
      expect(requested.length).toBeLessThan(PAGES * 5);
      expect(requested.length).toBeGreaterThanOrEqual(10);
    });
  });
});
