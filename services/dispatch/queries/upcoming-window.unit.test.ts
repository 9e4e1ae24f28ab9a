import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyGuild, DRAFTS_NOW } from "../../../test/conformance/any-drafts.ts";
import { EVERY_POST, GRACE_MS, guildBefore, planned, stateOf } from "../../../test/conformance/memory-plans.ts";
import type { MemoryGuild } from "../../../test/doubles/memory-guild.ts";
import type { DueWindow, UpcomingPost } from "../../contracts/dispatch.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import { comparePositions } from "../domain/plan/plan-order.ts";
import { isOpen, type Post } from "../domain/post/post.ts";
import { upcomingPosts } from "../domain/post/post-views.ts";
import type { GuildPlan } from "../protocol/post-store.ts";
import { COMPARED_MS } from "./diff-plan.ts";
import { upcomingWindow, type UpcomingPorts } from "./upcoming-window.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const positionOf = ({ dueAt: at, announcementId, occurrenceId }: Post) => ({ at, announcementId, occurrenceId });
const byPosition = (one: Post, other: Post) => comparePositions(positionOf(one), positionOf(other));

/** A guild with a plan through the next 48 hours; `limit` bounds the occurrences of one read. */
function portsOf(guild: MemoryGuild, rows: readonly Post[], plan: Partial<GuildPlan>, limit = Infinity): UpcomingPorts {
  const open = rows.filter(isOpen).toSorted(byPosition);
  return {
    owners: {
      announcementRules: async () => guild.rules(),
      settings: async () => guild.settings,
      occurrences: (params) => guild.list({ ...params, limit: Math.min(params.limit, limit) }),
    },
    store: {
      postsForPlan: async () => open,
      postsOfPairs: async (_guildId, occurrenceIds) =>
        rows.filter(({ occurrenceId }) => occurrenceIds.includes(occurrenceId)),
      listUpcoming: async () => upcomingPosts(open, EVERY_POST),
      guildPlan: async () => ({ version: 1, plannedThrough: DRAFTS_NOW + 48 * HOUR, replanAt: 0, ...plan }),
    },
    sinks: ["log", "discord"],
    graceMs: GRACE_MS,
  };
}

/** All pages, one after the other. */
async function pagesOf(
  ports: UpcomingPorts,
  guild: MemoryGuild,
  window: DueWindow,
  limit: number,
  clock?: () => number,
): Promise<UpcomingPost[]> {
  const posts: UpcomingPost[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 5_000; pages += 1) {
    const next = cursor === undefined ? {} : { cursor };
    const page = await upcomingWindow(ports, guild.id, { ...window, limit, ...next }, guild.now, clock);
    if (isRefusal(page)) throw new Error(page.refusal);
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    posts.push(...page.entries);
    if (page.next === undefined) return posts;
    cursor = page.next;
  }
  throw new Error("the pages have no end");
}

function asComputed(post: UpcomingPost): UpcomingPost {
  return { ...post, computed: true };
}

describe("the upcoming posts of a year", () => {
  test("are in their pages those of a plan of 366 days, whatever the window, the pages and the bounds of a read", async () => {
    let computed = 0;
    const window = fc.record({
      dueFrom: fc.constantFrom(undefined, 0, DRAFTS_NOW + HOUR, DRAFTS_NOW + 20 * DAY),
      dueUntil: fc.constantFrom(undefined, DRAFTS_NOW + 47 * HOUR, DRAFTS_NOW + 100 * DAY, DRAFTS_NOW + 1_000 * DAY),
    });
    const limits = fc.record({ page: fc.constantFrom(1, 7, 100, 1_000), read: fc.constantFrom(40, 10_000) });
    await fc.assert(
      fc.asyncProperty(anyGuild, window, limits, async (setup, { dueFrom, dueUntil }, { page, read }) => {
        const { guild, rows: near } = await guildBefore(setup, 240 * HOUR);
        const through = guild.now + COMPARED_MS;
        const all = planned(guild, await stateOf(guild, through), through, near);
        // A row of an earlier plan that reached further, as after a lead time was shortened.
        const far = all.filter(isOpen).toSorted(byPosition).at(-1);
        const isFar = ({ announcementId, occurrenceId }: Post) =>
          announcementId === far?.announcementId && occurrenceId === far.occurrenceId;
        const rows = [...near.filter((row) => !isFar(row)), ...all.filter(isFar)];
        const until = Math.min(dueUntil ?? Infinity, through);
        const inWindow = ({ dueAt }: { dueAt: number }) => dueAt >= (dueFrom ?? 0) && dueAt < until;
        const expected = upcomingPosts(all.filter(isOpen).toSorted(byPosition), EVERY_POST).filter(inWindow);
        const given = {
          ...(dueFrom === undefined ? {} : { dueFrom }),
          ...(dueUntil === undefined ? {} : { dueUntil }),
        };
        const shortened = expected.length > 200 && page === 1 ? 50 : page;
        const found = await pagesOf(portsOf(guild, rows, {}, read), guild, given, shortened);
        computed += found.filter((post) => post.computed).length;
        // The offsets of an announcement (D54) are due at different instants.
        const keyOf = (announcementId: string, occurrenceId: string, dueAt: number) =>
          [announcementId, occurrenceId, dueAt].join(" ");
        const isStored = new Set(
          rows.filter(isOpen).map((row) => keyOf(row.announcementId, row.occurrenceId, row.dueAt)),
        );
        expect(found).toEqual(
          expected.map((post) =>
            isStored.has(keyOf(post.announcementId, post.eventId, post.dueAt)) ? post : asComputed(post),
          ),
        );
      }),
      { numRuns: 100 },
    );
    expect(computed).toBeGreaterThan(100);
  });

  test("begin where a bounded plan ends, also in the middle of an instant", async () => {
    const startsAt = DRAFTS_NOW + DAY;
    const event = { action: "CREATE_EVENT", calendarNumber: 1, startsAt, endsAt: startsAt } as const;
    const rule = {
      action: "CREATE_ANNOUNCEMENT",
      channel: "7",
      type: "UNIVERSAL",
      hours: 0,
      minutes: 0,
      info: "",
    } as const;
    const { guild, rows } = await guildBefore([() => event, () => event, () => rule], HOUR);
    const [first, second] = rows.toSorted(byPosition).filter(({ sink }) => sink === "log") as [Post, Post];
    const bounded = { end: positionOf(second), farthestEnd: positionOf(second), recordedThrough: 0 };
    const stored = rows.filter(({ occurrenceId }) => occurrenceId === first.occurrenceId);
    const ports = portsOf(guild, stored, { plannedThrough: startsAt, bounded });
    expect(await pagesOf(ports, guild, { dueFrom: 0 }, 10)).toMatchObject([
      { eventId: first.occurrenceId },
      { eventId: second.occurrenceId, computed: true },
    ]);
  });

  test("have every post, also if the guild's first plan is stored while they are read", async () => {
    const startsAt = DRAFTS_NOW + DAY;
    const event = { action: "CREATE_EVENT", calendarNumber: 1, startsAt, endsAt: startsAt };
    const rule = { action: "CREATE_ANNOUNCEMENT", channel: "7", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    const { guild, rows } = await guildBefore([() => event as never, () => rule as never], 48 * HOUR);
    const { store, ...ports } = portsOf(guild, rows, {});
    let isPlanned = false;
    const planning: UpcomingPorts["store"] = {
      ...store,
      guildPlan: async (guildId) => {
        await new Promise(setImmediate);
        isPlanned = true;
        return store.guildPlan(guildId);
      },
      listUpcoming: async (...given) => (isPlanned ? store.listUpcoming(...given) : []),
    };
    const found = await pagesOf({ ...ports, store: planning }, guild, { dueFrom: 0 }, 10);
    expect(found.map((post) => post.startsAt)).toEqual([startsAt]);
  });

  /** A guild with five events at one instant, of which the numbered ones were announced less than a minute away from it. */
  async function announced(...numbers: readonly number[]) {
    const startsAt = DRAFTS_NOW + 60 * HOUR;
    const event = { action: "CREATE_EVENT", calendarNumber: 1, startsAt, endsAt: startsAt } as const;
    const rule = { action: "CREATE_ANNOUNCEMENT", channel: "7", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    const setup = [...Array.from({ length: 5 }, () => event), rule];
    const { guild } = await guildBefore(
      setup.map((change) => () => change as never),
      HOUR,
    );
    const through = guild.now + COMPARED_MS;
    const all = planned(guild, await stateOf(guild, through), through, []).toSorted(byPosition);
    const ids = [...new Set(all.map(({ occurrenceId }) => occurrenceId))];
    const sent = all
      .filter(({ occurrenceId }) => numbers.includes(ids.indexOf(occurrenceId)))
      .map((row): Post => Object.assign({}, row, { id: `${row.id}-`, state: "sent", startsAt: startsAt - 1_000 }));
    return { guild, ids, ports: portsOf(guild, sent, {}) };
  }

  test("have no post twice, if a page ends behind a post that was announced already", async () => {
    const { guild, ids, ports } = await announced(1);
    const found = await pagesOf(ports, guild, { dueFrom: 0 }, 2);
    expect(found.map(({ eventId }) => eventId)).toEqual([ids[0], ids[2], ids[3], ids[4]]);
  });

  test("end, if the time of a page is over after posts of one instant that were all announced already", async () => {
    const { guild, ids, ports } = await announced(0, 1, 2, 3);
    let elapsed = 0;
    const found = await pagesOf(ports, guild, { dueFrom: 0 }, 1, () => (elapsed += 2_000));
    expect(found.map(({ eventId }) => eventId)).toEqual([ids[4]]);
  });

  test("refuse a cursor that is none", async () => {
    const { guild, rows } = await guildBefore([], HOUR);
    const page = await upcomingWindow(portsOf(guild, rows, {}), guild.id, { dueFrom: 0, cursor: "x" }, guild.now);
    expect(page).toMatchObject({ refusal: "INVALID_REQUEST", problems: [{ field: "cursor" }] });
  });
});
