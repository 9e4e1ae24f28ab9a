import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FilledCalendar, openCalendar } from "../../../test/calendar/filled-calendar.ts";
import { randomNumbers, everyRule, ongoingSeries, NOW, twentyYears } from "../../../test/calendar/many-events.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { eventOf, type EventRow } from "../store/calendar-event.document.ts";
import { unwrittenCalendar } from "../domain/calendar/calendar.ts";
import { seriesOf } from "../domain/event/event.ts";
import { occurrencesOverlapping } from "../domain/recurrence/occurrences.ts";
import type { Window } from "../../contracts/window.ts";
import { overlaps } from "../domain/event/window.ts";
import { ENTRIES_INDEX } from "./entries.ts";
import { windowQuery } from "./query.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const WINDOWS = [
  ["a year", 365 * DAY],
  ["a month", 31 * DAY],
  ["a week", 7 * DAY],
  ["a date", DAY],
  ["an hour", HOUR],
  ["an instant", 1],
] as const satisfies [string, number][];

describe("the window index", () => {
  const guilds = {
    large: "20" as GuildId,
    ongoingSeries: "100" as GuildId,
    rules: "101" as GuildId,
  };
  let calendar: FilledCalendar;
  let events: ReturnType<typeof rowsOf>;
  beforeAll(async () => {
    calendar = await openCalendar(emptyDatabase());
    events = rowsOf(calendar);
    await calendar.fill(guilds.large, twentyYears(20_000));
    await calendar.fill(guilds.ongoingSeries, ongoingSeries(2_000));
    await calendar.fill(guilds.rules, everyRule(2_000));
  });
  afterAll(() => calendar.connection.close());

  const known = new Map<GuildId, EventRow[]>();

  async function allOf(guildId: GuildId): Promise<EventRow[]> {
    const rows = known.get(guildId) ?? (await events.find({ guildId }).toArray());
    known.set(guildId, rows);
    return rows;
  }

  /** The keys and documents that the query of a window examines, and the events that it lists. */
  async function examine(guildId: GuildId, window: Window) {
    const query = events.find(windowQuery(guildId, [unwrittenCalendar(guildId, 1)], window), { hint: ENTRIES_INDEX });
    const { executionStats } = (await query.clone().explain("executionStats")) as ExplainedQuery;
    const { totalKeysExamined: keys, totalDocsExamined: documents } = executionStats;
    return { keys, documents, returned: executionStats.nReturned, listed: listedOf(await query.toArray(), window) };
  }

  /** Examines windows of a length, and checks that they find everything that a full scan finds. */
  async function perFrequency(guildId: GuildId, length: number) {
    const everything = await allOf(guildId);
    const random = randomNumbers(11);
    const found: Awaited<ReturnType<typeof examine>>[] = [];
    for (let look = 0; look < 3; look += 1) {
      const from = NOW + Math.floor((random() - 0.5) * 365 * DAY);
      const window = { from, until: from + length };
      found.push(await examine(guildId, window));
      expect(found[look]?.listed.toSorted()).toEqual(listedOf(everything, window).toSorted());
    }
    return found;
  }

  describe.each([
    ["20 000 single events and series of twenty years", guilds.large, 300],
    ["2 000 series that all go on", guilds.ongoingSeries, 300],
    ["2 000 series of different rules and lengths, half of which go on", guilds.rules, 2_000],
  ])("in a calendar of %s", (_calendar, guildId, examinedBeside) => {
    test.each(WINDOWS)("%s finds all events, and examines few others", async (_window, length) => {
      for (const { documents, returned, listed } of await perFrequency(guildId, length)) {
        expect(returned).toBeLessThanOrEqual(1.2 * listed.length + 100);
        // A row that matches a condition of its own counts twice.
        expect(documents).toBeLessThanOrEqual(2.4 * listed.length + examinedBeside);
      }
    });
  });

  test("events with the entries of version 0.1.0 are found", async () => {
    const guildId = "102" as GuildId;
    const rows = [0, 1, 2, 3, 4, 5].map((entry) => ({
      _id: `former-${entry}`,
      guildId,
      calendarNumber: 1,
      startsAt: NOW,
      endsAt: NOW + 1,
      lastAt: NOW,
      entries: [entry],
    }));
    await events.insertMany(rows as never);
    const query = windowQuery(guildId, [unwrittenCalendar(guildId, 1)], { from: NOW, until: NOW + 1 });
    expect(await events.countDocuments(query)).toBe(rows.length);
    await events.deleteMany({ guildId });
  });
});

function rowsOf({ connection }: FilledCalendar) {
  return connection.collection<EventRow>("calendar_events");
}

interface ExplainedQuery {
  readonly executionStats: {
    readonly totalKeysExamined: number;
    readonly totalDocsExamined: number;
    readonly nReturned: number;
  };
}

/** The ids of the events with an occurrence in a window. */
function listedOf(rows: readonly EventRow[], window: Window): string[] {
  return rows.filter((row) => isListed(row, window)).map(({ _id }) => _id);
}

function isListed(row: EventRow, window: Window): boolean {
  const event = eventOf(row);
  if (event === undefined) return false;
  const series = seriesOf(event, unwrittenCalendar(event.guildId, 1));
  return series === undefined ? overlaps(event, window) : occurrencesOverlapping(series, window, 1).length > 0;
}
