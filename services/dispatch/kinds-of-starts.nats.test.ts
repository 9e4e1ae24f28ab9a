import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newRecordingSink } from "../../test/fixtures/recording-sink.ts";
import { startPostingServices } from "../../test/harness/posting-services.ts";
import { TestGuild } from "../../test/harness/test-guild.ts";
import type { TestServices } from "../../test/harness/test-services.ts";
import { createEvent } from "../contracts/calendar-events.contract.ts";
import { listUpcomingPostsPage, previewPost } from "../contracts/dispatch.contract.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The Tuesday at 19:00 after the next one; 1970-01-06 was a Tuesday. */
const TUESDAY = Math.ceil((Date.now() - 5 * DAY) / (7 * DAY)) * 7 * DAY + 5 * DAY + 7 * DAY + 19 * HOUR;

describe("the announcements of starts of all kinds", () => {
  const sink = newRecordingSink();
  let services: TestServices;

  beforeAll(async () => {
    services = await startPostingServices(sink);
  });
  afterAll(() => services.stop());

  test("are due before each date of a set of weekdays, and before the midnight of an all-day event, which they name", async () => {
    const guild = new TestGuild(services, sink);
    const recurrence = { frequency: "WEEKLY", byDay: ["TU", "TH"], until: TUESDAY + 9 * DAY } as const;
    const series = await guild.event(0, { startsAt: TUESDAY, endsAt: TUESDAY + HOUR, recurs: true, recurrence });
    const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const friday = TUESDAY + 3 * DAY;
    const dates = { allDay: true, startDate: dateOf(friday), endDate: dateOf(friday + 2 * DAY) } as const;
    const days = { guildId: guild.id, calendarNumber: 1, name: "trip", ...dates };
    const { eventId: trip } = await services.call(createEvent, days);
    const recur = await guild.announcement(30, { type: "RECUR", eventId: series });
    const specific = await guild.announcement(0, { type: "SPECIFIC", eventId: trip, hours: 6 });
    const window = { dueFrom: TUESDAY - DAY, dueUntil: TUESDAY + 30 * DAY };
    const { entries } = await services.call(listUpcomingPostsPage, { guildId: guild.id, ...window });
    expect(entries.map(({ announcementId, dueAt }) => [announcementId, dueAt])).toEqual([
      [recur, TUESDAY - HOUR / 2],
      [specific, friday - 19 * HOUR - 6 * HOUR],
      [recur, TUESDAY + 2 * DAY - HOUR / 2],
      [recur, TUESDAY + 7 * DAY - HOUR / 2],
      [recur, TUESDAY + 9 * DAY - HOUR / 2],
    ]);
    const { messages } = await services.call(previewPost, { guildId: guild.id, id: specific });
    const shown = (at: number) => new Intl.DateTimeFormat("en-US", { dateStyle: "full", timeZone: "UTC" }).format(at);
    expect(JSON.stringify(messages)).toContain(shown(friday));
    expect(JSON.stringify(messages)).toContain(shown(friday + DAY));
    expect(JSON.stringify(messages)).not.toContain("12:00 AM");
  });
});
