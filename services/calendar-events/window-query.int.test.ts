import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type FilledCalendar, openCalendar } from "../../test/calendar/filled-calendar.ts";
import { emptyDatabase } from "../../test/real-parts/test-services.ts";
import { FREQUENCIES, type CreateEventParams } from "../contracts/calendar-events.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import { BY_END, BY_START, eventOf, type EventRow } from "./calendar-event.document.ts";
import { seriesOf } from "./domain/event.ts";
import { occurrencesTouching } from "./domain/occurrences.ts";
import { unwrittenCalendar } from "./domain/calendar.ts";
import { touches, type Window } from "./domain/window.ts";
import { windowQuery } from "./window-query.ts";

type NewEvent = Omit<CreateEventParams, "guildId" | "calendarNumber">;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const now = Date.UTC(2024, 4, 1);

/** Numbers from 0 to 1 in an order that never changes. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Twenty years of a guild around now: single events of all lengths, series that ended, go on and begin later. */
function twentyYears(count: number): NewEvent[] {
  const roll = dice(7);
  return Array.from({ length: count }, (_, at): NewEvent => {
    const startsAt = now + Math.floor((roll() - 0.5) * 20 * 365 * DAY);
    const endsAt = startsAt + Math.floor(roll() ** 6 * 30 * DAY);
    if (at % 2 === 0) return { startsAt, endsAt };
    const frequency = FREQUENCIES[at % 8 === 7 ? 3 : Math.floor(roll() * 4)] ?? "DAILY";
    const interval = 1 + Math.floor(roll() * 3);
    const recurrence = { frequency, interval, count: at % 8 === 7 ? -1 : 2 + Math.floor(roll() * 10) };
    return { startsAt, endsAt: startsAt + Math.floor(roll() * 5 * HOUR), recurs: true, recurrence };
  });
}

describe("the access path of windows", () => {
  const sizes = [
    ["2" as GuildId, 2_000],
    ["20" as GuildId, 20_000],
  ] as const satisfies [GuildId, number][];
  let calendar: FilledCalendar;
  beforeAll(async () => {
    calendar = await openCalendar(emptyDatabase());
    for (const [guildId, count] of sizes) await calendar.fill(guildId, twentyYears(count));
  });
  afterAll(() => calendar.connection.close());

  async function examine(guildId: GuildId, from: number, until: number) {
    const events = calendar.connection.collection<EventRow>("calendar_events");
    const lanes = await events.distinct("lane", { guildId });
    const query = windowQuery(guildId, lanes, { from, until }, [unwrittenCalendar(guildId, 1)]);
    const sum = { keys: 0, documents: 0, listed: [] as string[], lanes: lanes.length };
    for (const [filter, hint] of [
      [query.byEnd, BY_END],
      [query.byStart, BY_START],
    ] as const) {
      const { executionStats } = (await events
        .find({ $or: [...filter] }, { hint })
        .explain("executionStats")) as ExplainedQuery;
      sum.keys += executionStats.totalKeysExamined;
      sum.documents += executionStats.totalDocsExamined;
      const rows = await events.find({ $or: [...filter] }, { hint }).toArray();
      sum.listed.push(...listedOf(rows, { from, until }));
    }
    return sum;
  }

  describe.each(sizes)("in calendar %s of %i events", (guildId: GuildId, _count: number) => {
    test.each([
      ["a month", 31 * DAY],
      ["a date", DAY],
      ["an hour", HOUR],
    ])("%s finds all, reads what it answers, and in the index a few keys a lane beside", async (_, length) => {
      const everything = await calendar.connection.collection<EventRow>("calendar_events").find({ guildId }).toArray();
      const roll = dice(11);
      for (let look = 0; look < 5; look += 1) {
        const from = now + Math.floor((roll() - 0.5) * 365 * DAY);
        const { documents, keys, listed, lanes } = await examine(guildId, from, from + length);
        const all = listedOf(everything, { from, until: from + length });
        expect(listed.toSorted()).toEqual(all.toSorted());
        expect(documents).toBeLessThanOrEqual(1.2 * all.length + 5);
        expect(keys).toBeLessThanOrEqual(1.2 * all.length + 32 * lanes);
      }
    });
  });
});

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
