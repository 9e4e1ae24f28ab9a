import { describe, expect, test } from "@jest/globals";
import { type AnyChange, DRAFTS_NOW, type KnownIds } from "../../../test/conformance/any-drafts.ts";
import { diffOf, guildBefore, knownIds } from "../../../test/conformance/memory-plans.ts";
import type { DraftChange } from "../../contracts/draft-changes.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";

const HOUR = 3_600_000;

describe("the diff of a plan", () => {
  test("of a holiday has the posts that it skips, and those of a deleted holiday appear (D66)", async () => {
    const startsAt = DRAFTS_NOW + 24 * HOUR;
    const recurrence = { frequency: "DAILY", count: 4 } as const;
    const times = { calendarNumber: 1, startsAt, endsAt: startsAt, recurs: true, recurrence };
    const holiday = (day: number) =>
      ({
        action: "CREATE_EVENT",
        calendarNumber: 2,
        allDay: true,
        startDate: `2030-03-0${day}`,
        name: `Day ${day}`,
      }) as const;
    const rule = {
      action: "CREATE_ANNOUNCEMENT",
      channel: "7",
      type: "RECUR",
      hours: 0,
      minutes: 0,
      info: "",
      skipOn: 2,
    };
    const setup = [
      () => ({ action: "UPDATE_SETTINGS", maxCalendars: 2 }),
      () => ({ action: "CREATE_EVENT", ...times }),
      ({ events: [eventId] }: KnownIds) => ({ ...rule, eventId }),
      () => holiday(2),
    ];
    const { guild, rows } = await guildBefore(setup as unknown as readonly AnyChange[], HOUR);
    const { announcements, events } = await knownIds(guild);
    const stored = {
      calendarNumber: 2,
      eventId: events.find((id) => guild.rows.events.get(id as never)?.calendarNumber === 2),
    };
    const effects = async (...changes: object[]) => {
      const diff = await diffOf(guild, rows, changes as DraftChange[]);
      return isRefusal(diff)
        ? diff
        : diff.posts.map((post) => [post.effect, (post.startsAt - startsAt) / HOUR, post.reason]);
    };
    const vanishes = ["VANISHES", 24, "holiday: Day 3"];
    const appears = ["APPEARS", 0, "no longer holiday: Day 2"];
    await expect(effects(holiday(3))).resolves.toEqual([vanishes]);
    await expect(effects({ action: "DELETE_EVENT", ...stored })).resolves.toEqual([appears]);
    const moved = { action: "UPDATE_EVENT", ...stored, startDate: "2030-03-03", endDate: "2030-03-04", name: "Day 3" };
    await expect(effects(moved)).resolves.toEqual([appears, vanishes]);
    await expect(effects({ ...moved, startDate: "2030-03-01", endDate: "2030-03-05" })).resolves.toEqual([
      vanishes,
      ["VANISHES", 48, "holiday: Day 3"],
    ]);
    const without = { action: "UPDATE_ANNOUNCEMENT", id: announcements[0], skipOn: null };
    await expect(effects(without)).resolves.toEqual([appears]);
    await expect(effects(holiday(3), without)).resolves.toEqual([appears]);
    await expect(effects({ action: "UPDATE_SETTINGS", maxCalendars: 1 })).resolves.toEqual([appears]);
  });
});
