import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { callInTurn } from "../../test/harness/call-in-turn.ts";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";
import { startPostingServices } from "../../test/harness/posting-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import type { TestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { createAnnouncement, getAnnouncement, updateAnnouncement } from "../contracts/announcements.contract.ts";
import { updateEvent } from "../contracts/calendar-events.contract.ts";
import { listUpcomingPostsPage, previewPost, type UpcomingPostsPage } from "../contracts/dispatch.contract.ts";
import { updateGuildSettings } from "../contracts/guild-settings.contract.ts";
import { diffPlan } from "../contracts/plan-diff.contract.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HOLIDAYS = 2;

describe("an announcement that skips holidays (D66)", () => {
  const sink = newRecordingSink();
  let services: TestServices;

  beforeAll(async () => {
    services = await startPostingServices(sink);
  });
  afterAll(() => services.stop());

  async function guildWithHolidays() {
    const guild = new TestGuild(services, sink);
    await services.call(updateGuildSettings, { guildId: guild.id, maxCalendars: 7 });
    return guild;
  }

  const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

  /** An all-day entry of the calendar of holidays, from the date of one instant to that of another one. */
  function holiday(guild: TestGuild, from: number, last: number, name: string) {
    const days = { allDay: true, startDate: dateOf(from), endDate: dateOf(last + DAY) } as const;
    const noInstants = { startsAt: undefined, endsAt: undefined } as never as object;
    return guild.event(0, { calendarNumber: HOLIDAYS, name, ...days, ...noInstants });
  }

  test("posts nothing of an event on a holiday, also if it moves there, and posts on other days", async () => {
    const guild = await guildWithHolidays();
    const now = Date.now();
    const id = await guild.announcement(60, { skipOn: HOLIDAYS });
    const others = await guild.announcement(60, { channel: "78" });
    const eventId = await guild.event(20 * DAY);
    await holiday(guild, now, now + DAY, "Winter break");
    const soon = { startsAt: now + HOUR / 2, endsAt: now + HOUR };
    await guild.change(eventId, soon);
    const settled = await guild.settled(2);
    const skipped = settled.find(({ announcementId }) => announcementId === id);
    expect(skipped).toMatchObject({ state: "skipped", reason: "holiday: Winter break", reasonCode: "HOLIDAY" });
    expect(settled.find(({ announcementId }) => announcementId === others)).toMatchObject({ state: "sent" });
    // The calendar's own events are not concerned.
    await guild.event(0, { calendarNumber: HOLIDAYS, ...soon });
    await until(async () => guild.received().length === 3, "the event of the calendar of holidays is posted twice");
    expect((await guild.history()).filter(({ state }) => state === "skipped")).toHaveLength(1);
  });

  test("shows what it will skip in upcoming and computed posts, previews and diffs, and posts again without the holiday", async () => {
    const guild = await guildWithHolidays();
    const { id: guildId } = guild;
    const startsAt = Date.now() + DAY;
    const recurrence = { frequency: "DAILY", count: 30 } as const;
    const eventId = await guild.event(DAY, { startsAt, endsAt: startsAt + 1, recurs: true, recurrence });
    const id = await guild.announcement(0, { type: "RECUR", eventId, skipOn: HOLIDAYS });
    const christmas = await holiday(guild, startsAt, startsAt, "Christmas Day");
    const skip = { skipCode: "HOLIDAY", skipReason: "holiday: Christmas Day" };
    await until(async () => (await guild.upcoming())[0]?.skipReason !== undefined, "the skip is foreseen");
    expect((await guild.upcoming())[0]).toMatchObject({ startsAt, ...skip });
    await expect(services.call(previewPost, { guildId, id })).resolves.toMatchObject(skip);
    await holiday(guild, startsAt + 9 * DAY, startsAt + 10 * DAY, "Later");
    const ahead: (string | undefined)[] = [];
    // A page may end after a second, before it is full.
    for (let next: { readonly cursor?: string } | undefined = {}; next !== undefined;) {
      const window = { guildId, dueFrom: startsAt + 8 * DAY, dueUntil: startsAt + 12 * DAY, limit: 100, ...next };
      const page: UpcomingPostsPage = await services.call(listUpcomingPostsPage, window);
      ahead.push(...page.entries.map(({ skipReason }) => skipReason));
      next = page.next === undefined ? undefined : { cursor: page.next };
    }
    expect(ahead).toEqual([undefined, "holiday: Later", "holiday: Later", undefined]);
    const entry = { calendarNumber: HOLIDAYS, eventId: christmas as never };
    const changes = [{ action: "DELETE_EVENT", ...entry }] as const;
    const diff = await callInTurn(services, diffPlan, { guildId, changes });
    expect(diff).toMatchObject({
      appear: 1,
      vanish: 0,
      posts: [{ effect: "APPEARS", startsAt, reason: "no longer holiday: Christmas Day" }],
    });
    await services.call(updateEvent, { ...entry, guildId, name: "Renamed" });
    await until(async () => (await guild.upcoming())[0]?.skipReason === "holiday: Renamed", "the name is planned");
    await services.call(updateAnnouncement, { guildId, id, skipOn: null });
    await until(async () => (await guild.upcoming())[0]?.skipReason === undefined, "nothing is skipped");
  });

  test("is stored, and refused with a calendar that the guild may not have, in a digest, and with a sixth calendar", async () => {
    const guild = await guildWithHolidays();
    const { id: guildId } = guild;
    const id = await guild.announcement(0, { skipOn: HOLIDAYS });
    await expect(services.call(getAnnouncement, { guildId, id })).resolves.toMatchObject({ skipOn: HOLIDAYS });
    const change = (skipOn: number | null) => services.call(updateAnnouncement, { guildId, id, skipOn });
    await expect(change(8)).rejects.toMatchObject({ type: "CALENDAR_NOT_FOUND" });
    await expect(guild.announcement(0, { skipOn: 8 })).rejects.toMatchObject({ type: "CALENDAR_NOT_FOUND" });
    const digest = { calendarNumber: 1, frequency: "DAILY", time: "12:00" } as const;
    await expect(guild.announcement(0, { type: "DIGEST", digest, skipOn: HOLIDAYS })).rejects.toMatchObject({
      data: { problems: [{ field: "skipOn", code: "CONFLICTING" }] },
    });
    for (const skipOn of [3, 4, 5, 6]) await guild.announcement(0, { skipOn });
    const fields = { guildId, channel: "77", type: "UNIVERSAL", hours: 0, minutes: 0, info: "", skipOn: 7 } as const;
    await expect(services.call(createAnnouncement, fields)).rejects.toMatchObject({
      data: { problems: [{ field: "skipOn", code: "TOO_MANY" }] },
    });
    await change(HOLIDAYS);
    await change(7);
    await change(null);
    expect(await services.call(getAnnouncement, { guildId, id })).not.toHaveProperty("skipOn");
  });
});
