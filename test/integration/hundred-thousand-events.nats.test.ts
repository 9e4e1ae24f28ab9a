import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { calendarEventsService } from "../../services/calendar-events/calendar-events.service.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { guildSettingsService } from "../../services/guild-settings/guild-settings.service.ts";
import { openCalendar } from "../calendar/filled-calendar.ts";
import { standIn, startTestGateway, type TestGateway, untilReady } from "../harness/test-gateway.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const guildId = "375357265198317579" as GuildId;
const where = { guild_id: guildId, calendar_number: 1 };
const BEGIN = Date.UTC(2010, 0, 1);
const NOW = Date.UTC(2019, 5, 1, 12);

/** One of a hundred thousand events. Two thirds are single, and one third are weekly series with or without an end. */
interface Given {
  readonly startsAt: number;
  readonly length: number;
  /** The number of occurrences: 1 for a single event, −1 for a series without an end. */
  readonly count: number;
}

const given = Array.from({ length: 100_000 }, (_, at): Given => {
  const startsAt = BEGIN + ((at * 7_919_003) % (7_000 * 24)) * HOUR + (at % 60) * 60_000;
  const length = at % 97 === 0 ? 40 * DAY : at % 5 === 0 ? 0 : ((at % 11) + 1) * HOUR;
  if (at % 3 > 0) return { startsAt, length, count: 1 };
  return { startsAt, length: Math.min(length, DAY), count: at % 300 === 0 ? -1 : 2 + (at % 20) };
});

interface Entry {
  readonly start: number;
  readonly end: number;
}

/** Every occurrence that overlaps the window, by a search through all of them (D17). */
function touching(from: number, until: number): Entry[] {
  return given
    .flatMap(({ startsAt, length, count }) => {
      const last = count === -1 ? Math.ceil((until - startsAt) / WEEK) : count - 1;
      const entries: Entry[] = [];
      for (let nth = Math.max(0, Math.floor((from - length - startsAt) / WEEK)); nth <= last; nth += 1) {
        const start = startsAt + nth * WEEK;
        if (start >= until) break;
        if (start + length > from || start === from) entries.push({ start, end: start + length });
      }
      return entries;
    })
    .toSorted((one, other) => one.start - other.start);
}

const startsTouching = (from: number, until: number) => touching(from, until).map(({ start }) => start);

describe("a guild with a hundred thousand events, over HTTP", () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway((mongoUrl) => [
      guildSettingsService({ mongoUrl }),
      calendarEventsService({ mongoUrl, now: () => NOW }),
      standIn("announcements", {}),
      standIn("dispatch", {}),
      standIn("webhooks"),
    ]);
    await untilReady(gateway);
    const calendar = await openCalendar(gateway.mongoUrl);
    const events = given.map(({ startsAt, length, count }) => {
      const times = { startsAt, endsAt: startsAt + length };
      const recurrence = { frequency: "WEEKLY", count, interval: 1 } as const;
      return count === 1 ? times : { startsAt, endsAt: times.endsAt, recurs: true, recurrence };
    });
    await calendar.fill(guildId, events);
    await calendar.connection.close();
  });
  afterAll(() => gateway.stop());

  async function listed(path: string, fields: object): Promise<number[]> {
    const { status, body } = await gateway.post(`/v2/events/list/${path}`, { ...where, ...fields });
    expect(status).toBe(200);
    return (body["events"] as { epoch_start: number }[]).map(({ epoch_start }) => epoch_start);
  }

  test("a month, a date and a range contain exactly the occurrences that overlap them", async () => {
    const from = Date.UTC(2015, 2, 1);
    const month = await listed("month", { epoch_start: from, days_in_month: 31 });
    expect(month.length).toBeGreaterThan(1_000);
    expect(month).toEqual(startsTouching(from, from + 31 * DAY));
    expect(await listed("date", { epoch_start: from })).toEqual(startsTouching(from, from + DAY));
    const range = await listed("range", { epoch_start: from, epoch_end: from + 90 * DAY - 1 });
    expect(range).toEqual(startsTouching(from, from + 90 * DAY));
  });

  test("the current events are those that have started and not ended", async () => {
    const expected = touching(NOW, NOW + 1).filter(({ start, end }) => start <= NOW && NOW < end);
    expect(expected.length).toBeGreaterThan(10);
    expect(await listed("ongoing", {})).toEqual(expected.map(({ start }) => start));
  });

  test("a window of more than ten thousand entries is refused with its field, and not truncated", async () => {
    const window = { ...where, epoch_start: BEGIN, epoch_end: NOW };
    const response = await gateway.post("/v2/events/list/range", window);
    expect(response).toMatchObject({
      status: 400,
      body: { code: "TOO_MANY_ENTRIES", errors: [{ field: "epoch_end" }] },
    });
    expect(response.text).not.toContain("epoch_start");
  });
});
