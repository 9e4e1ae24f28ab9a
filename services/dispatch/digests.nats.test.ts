import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { callInTurn } from "../../test/harness/call-in-turn.ts";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";
import { startPostingServices } from "../../test/harness/posting-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import type { TestServices } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { getAnnouncement, updateAnnouncement } from "../contracts/announcements.contract.ts";
import { updateEvent } from "../contracts/calendar-events.contract.ts";
import { updateCalendar } from "../contracts/calendars.contract.ts";
import { listUpcomingPostsPage, previewPost, type UpcomingPost } from "../contracts/dispatch.contract.ts";
import type { OccurrenceId } from "../contracts/ids.ts";
import { diffPlan, previewDrafts } from "../contracts/plan-diff.contract.ts";

const [HOUR, DAY] = [3_600_000, 86_400_000];
/** Far from now, whatever the time of the test, so that no digest is posted during it. */
const FAR = new Date(Date.now() + 12 * HOUR).toISOString().slice(0, 16);
const TIME = FAR.slice(11);
const DIGEST = { calendarNumber: 1, frequency: "DAILY", time: TIME } as const;

describe("a digest (D65)", () => {
  const sink = newRecordingSink();
  let services: TestServices;

  beforeAll(async () => {
    services = await startPostingServices(sink);
  });
  afterAll(() => services.stop());

  test("is stored, planned, previewed, listed for a year, and moves with its time and its calendar", async () => {
    const guild = new TestGuild(services, sink);
    const guildId = guild.id;
    const refused = guild.announcement(0, { type: "DIGEST", digest: { ...DIGEST, calendarNumber: 7 } });
    await expect(refused).rejects.toMatchObject({ type: "CALENDAR_NOT_FOUND" });
    const timed = guild.announcement(5, { type: "DIGEST", digest: DIGEST });
    await expect(timed).rejects.toMatchObject({ data: { problems: [{ field: "minutes", code: "CONFLICTING" }] } });
    const id = await guild.announcement(0, { type: "DIGEST", digest: DIGEST });
    await expect(services.call(getAnnouncement, { guildId, id })).resolves.toMatchObject({
      type: "DIGEST",
      digest: { ...DIGEST, days: 1 },
      hours: 0,
      minutes: 0,
    });

    const due = Date.parse(`${FAR}:00Z`);
    const planned = async () => (await guild.upcoming()).map(({ startsAt }) => startsAt);
    await until(async () => (await planned())[0] === due, "the digest is planned");
    expect((await guild.upcoming())[0]).toMatchObject({
      dueAt: due,
      eventId: expect.stringMatching(/^d[0-9a-f]{32}_\d{8}$/),
    });
    const year = { guildId, dueFrom: due + 300 * DAY, dueUntil: due + 303 * DAY, limit: 10 };
    const ahead: UpcomingPost[] = [];
    // A page may end after a second, before it is full.
    for (let cursor: string | undefined, isLast = false; !isLast; isLast = cursor === undefined) {
      const page = await services.call(listUpcomingPostsPage, cursor === undefined ? year : { ...year, cursor });
      ahead.push(...page.entries);
      cursor = page.next;
    }
    expect(ahead.map(({ dueAt, computed }) => [dueAt, computed])).toEqual(
      [300, 301, 302].map((days) => [due + days * DAY, true]),
    );

    const preview = async () => (await services.call(previewPost, { guildId, id })).messages;
    await expect(preview()).resolves.toEqual([]);
    await guild.event(0, { startsAt: due + HOUR, endsAt: due + 2 * HOUR, name: "Red raid", color: "RED" });
    await guild.event(0, { startsAt: due + DAY, endsAt: due + DAY + HOUR, name: "Later" });
    await expect(preview()).resolves.toMatchObject([
      { embeds: [{ title: "Main calendar", fields: [{ name: "Red raid" }] }] },
    ]);
    const ofEvent = services.call(previewPost, { guildId, id, eventId: "e1" });
    await expect(ofEvent).rejects.toMatchObject({ data: { problems: [{ field: "eventId" }] } });

    const green = {
      action: "UPDATE_ANNOUNCEMENT",
      id,
      digest: { ...DIGEST, days: 2, color: "GREEN", emptyText: "None" },
    };
    const drafted = await callInTurn(services, previewDrafts, { guildId, changes: [green as never], limit: 2 });
    expect(drafted.map(({ startsAt }) => startsAt)).toEqual([due, due + DAY]);
    expect(drafted[0]?.messages[0]?.embeds?.[0]?.description).toMatch(/\n\nNone$/);
    const zone = { action: "UPDATE_CALENDAR", calendarNumber: 1, timezone: "Africa/Lagos" } as const;
    const moved = await callInTurn(services, diffPlan, { guildId, changes: [zone], limit: 1 });
    expect(moved.move).toBeGreaterThan(360);
    expect(moved.posts).toMatchObject([
      { effect: "MOVES", dueAt: due - HOUR, text: expect.stringContaining("Red raid") },
    ]);
    const removed = await callInTurn(services, diffPlan, {
      guildId,
      changes: [{ action: "DELETE_ANNOUNCEMENT", id }],
      limit: 1,
    });
    expect(removed).toMatchObject({ vanish: moved.move, posts: [{ effect: "VANISHES", dueAt: due }] });

    await services.call(updateCalendar, { guildId, calendarNumber: 1, timezone: "Africa/Lagos" });
    await until(async () => (await planned())[0] === due - HOUR, "the digest moves with the zone");
    const later = new Date(due + HOUR).toISOString().slice(11, 16);
    await services.call(updateAnnouncement, { guildId, id, digest: { ...DIGEST, time: later } });
    await until(async () => (await planned())[0] === due, "the digest moves with its time");
    const cancelled = (await guild.history()).map(({ state, reasonCode }) => `${state} ${reasonCode ?? ""}`);
    expect(new Set(cancelled)).toEqual(new Set(["cancelled ANNOUNCEMENT_CHANGED"]));

    await services.call(updateAnnouncement, { guildId, id, type: "UNIVERSAL" });
    await until(async () => (await planned()).includes(due + HOUR), "the events are planned");
    await expect(services.call(getAnnouncement, { guildId, id })).resolves.not.toHaveProperty("digest");
    expect((await guild.upcoming()).every(({ eventId }) => eventId.startsWith("e"))).toBe(true);
  });

  test("of a color lists the events and the changed occurrences that have it, and no others", async () => {
    const guild = new TestGuild(services, sink);
    const guildId = guild.id;
    const id = await guild.announcement(0, { type: "DIGEST", digest: { ...DIGEST, days: 3, color: "RED" } });
    const due = Date.parse(`${FAR}:00Z`);
    const times = (hours: number) => ({ startsAt: due + hours * HOUR, endsAt: due + (hours + 1) * HOUR });
    const series = { recurs: true, recurrence: { frequency: "DAILY", count: 3 } } as const;
    await guild.event(0, { ...times(1), name: "green", color: "GREEN" });
    await guild.event(0, { ...times(2), name: "none" });
    await guild.event(0, { ...times(3), name: "red", color: "RED" });
    const green = await guild.event(0, { ...times(4), ...series, name: "recolored", color: "GREEN" });
    const red = await guild.event(0, { ...times(5), ...series, name: "of the series", color: "RED" });
    const startOf = (hours: number) => new Date(due + hours * HOUR).toISOString().replaceAll(/[-:]|\.000/g, "");
    const change = (event: string, hours: number, changes: object) =>
      services.call(updateEvent, {
        guildId,
        calendarNumber: 1,
        eventId: `${event}_${startOf(hours)}` as OccurrenceId,
        ...changes,
      });
    await change(green, 4 + 24, { color: "RED" });
    await change(red, 5, { color: "GREEN" });
    await change(red, 5 + 24, times(6 + 24));
    const { messages } = await services.call(previewPost, { guildId, id });
    expect(messages[0]?.embeds?.[0]?.fields?.map(({ name }) => name)).toEqual([
      "red",
      "recolored",
      "of the series",
      "of the series",
    ]);
  });
});
