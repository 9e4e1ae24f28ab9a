import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FilledCalendar, openCalendar } from "../../test/calendar/filled-calendar.ts";
import { dice, everyKind, NOW, twentyYears } from "../../test/calendar/many-events.ts";
import { emptyDatabase } from "../../test/real-parts/test-services.ts";
import type { GuildId } from "../contracts/ids.ts";
import { eventOf, type EventRow } from "./calendar-event.document.ts";
import { unwrittenCalendar } from "./domain/calendar.ts";
import { seriesOf, type StoredEvent } from "./domain/event.ts";
import { finestOf, laneOf, MOST_KINDS, nameOfLane, phaseOf } from "./domain/lanes.ts";
import { occurrencesTouching, type Series, seriesEnd } from "./domain/occurrences.ts";
import { nodesOf } from "./domain/span-tree.ts";
import { touches, type Window } from "./domain/window.ts";
import { BEGINS, FILED } from "./event-filing.ts";
import { windowFilter } from "./window-query.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Examined beside what is answered, at most: of documents, and of keys. */
const DOCUMENTS_BESIDE = 10;
const KEYS_BESIDE = 1000;

const WINDOWS = [
  ["a year", 365 * DAY],
  ["a month", 31 * DAY],
  ["a week", 7 * DAY],
  ["a date", DAY],
  ["an hour", HOUR],
] as const satisfies [string, number][];

describe("the access path of windows", () => {
  const guilds = {
    small: "2" as GuildId,
    large: "20" as GuildId,
    kinds: "100" as GuildId,
    long: "101" as GuildId,
    misfiled: "102" as GuildId,
  };
  let calendar: FilledCalendar;
  let events: ReturnType<typeof rowsOf>;
  beforeAll(async () => {
    calendar = await openCalendar(emptyDatabase());
    events = rowsOf(calendar);
    await calendar.fill(guilds.small, twentyYears(2_000));
    await calendar.fill(guilds.large, twentyYears(20_000));
    await calendar.fill(guilds.kinds, everyKind(10_000, 0));
    await calendar.fill(guilds.long, everyKind(5_000, 0.9));
    await calendar.fill(guilds.misfiled, everyKind(4_000, 0));
  }, 120_000);
  afterAll(() => calendar.connection.close());

  const known = new Map<GuildId, EventRow[]>();

  async function allOf(guildId: GuildId): Promise<EventRow[]> {
    const rows = known.get(guildId) ?? (await events.find({ guildId }).toArray());
    known.set(guildId, rows);
    return rows;
  }

  /** What a window costs, and the events that it lists. */
  async function examine(guildId: GuildId, window: Window) {
    const lanes = await events.distinct("lane", { guildId });
    const query = events.find(windowFilter(guildId, lanes, window, [unwrittenCalendar(guildId, 1)]), { hint: FILED });
    const { executionStats } = (await query.clone().explain("executionStats")) as ExplainedQuery;
    const { totalKeysExamined: keys, totalDocsExamined: documents } = executionStats;
    return { keys, documents, listed: listedOf(await query.toArray(), window) };
  }

  /** Some windows of a length, each with what it costs; holds that they find all that going through all finds. */
  async function looks(guildId: GuildId, length: number) {
    const everything = await allOf(guildId);
    const roll = dice(11);
    const found: Awaited<ReturnType<typeof examine>>[] = [];
    for (let look = 0; look < 3; look += 1) {
      const from = NOW + Math.floor((roll() - 0.5) * 365 * DAY);
      const window = { from, until: from + length };
      found.push(await examine(guildId, window));
      expect(found[look]?.listed.toSorted()).toEqual(listedOf(everything, window).toSorted());
    }
    return found;
  }

  describe.each([
    ["2 000 events", guilds.small],
    ["20 000 events", guilds.large],
    ["as many kinds of series as there may be, of intervals to 1000", guilds.kinds],
    ["as many kinds, of lengths to most of the interval", guilds.long],
  ])("in a calendar of %s", (_calendar, guildId) => {
    test.each(WINDOWS)("%s finds all, and reads what it answers", async (_window, length) => {
      for (const { documents, keys, listed } of await looks(guildId, length)) {
        expect(documents).toBeLessThanOrEqual(1.2 * listed.length + DOCUMENTS_BESIDE);
        expect(keys).toBeLessThanOrEqual(1.2 * listed.length + KEYS_BESIDE);
      }
    });
  });

  test("the kinds that are looked at are as many as a calendar may have", async () => {
    for (const guildId of [guilds.kinds, guilds.long]) {
      const lanes = await events.distinct("lane", { guildId });
      expect(lanes.length).toBeLessThanOrEqual(MOST_KINDS);
      expect(lanes.length).toBeGreaterThan(0.9 * MOST_KINDS);
    }
  });

  test("filed by the phase of interval 1, a date reads many times what it answers", async () => {
    const rows = await allOf(guilds.misfiled);
    await events.bulkWrite(
      rows.map((row) => ({ updateOne: { filter: { _id: row._id }, update: { $set: filedByIntervalOne(row) } } })),
    );
    for (const { documents, listed } of await looks(guilds.misfiled, DAY)) {
      expect(documents).toBeGreaterThan(5 * listed.length);
    }
  });
});

function rowsOf({ connection }: FilledCalendar) {
  return connection.collection<EventRow>("calendar_events");
}

/** How a series would be filed if it came back at every interval of its frequency. */
function filedByIntervalOne(row: EventRow) {
  const series = seriesOf(eventOf(row) as StoredEvent, unwrittenCalendar(row.guildId, 1)) as Series;
  const often = { ...series, recurrence: { ...series.recurrence, interval: 1 } };
  const end = seriesEnd(series);
  const nodes = nodesOf(series.startsAt, end === undefined ? undefined : end - 1, finestOf(laneOf(often)));
  const filed = nodes.map((at) => ({ at, by: phaseOf(often) }));
  return { lane: `1/${nameOfLane(laneOf(often))}`, filed: [{ at: BEGINS, by: series.startsAt }, ...filed] };
}

interface ExplainedQuery {
  readonly executionStats: { readonly totalKeysExamined: number; readonly totalDocsExamined: number };
}

/** The ids of the events that have something in a window. */
function listedOf(rows: readonly EventRow[], window: Window): string[] {
  return rows.filter((row) => isListed(row, window)).map(({ _id }) => _id);
}

function isListed(row: EventRow, window: Window): boolean {
  const event = eventOf(row);
  if (event === undefined) return false;
  const series = seriesOf(event, unwrittenCalendar(event.guildId, 1));
  return series === undefined ? touches(event, window) : occurrencesTouching(series, window, 1).length > 0;
}
