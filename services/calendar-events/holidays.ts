import { OperationTimeout } from "../../mixins/async/timeout.ts";
import { InFlightMap } from "../../mixins/async/in-flight-map.ts";
import { TimeSlice } from "../../mixins/async/time-slice.ts";
import { TurnsByKey } from "../../mixins/async/turns-by-key.ts";
import type { CalendarReference } from "../contracts/calendars.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { GuildId } from "../contracts/ids.ts";
import type { Occurrence, OccurrencesStarting, OccurrencesStartingParams } from "../contracts/occurrences.contract.ts";
import { SEARCH_TIMEOUT_MS } from "./calendar-windows.ts";
import {
  addEntry,
  coveredDays,
  dayOfOccurrence,
  type HolidayCalendar,
  type HolidayEntry,
  type HolidaysByDay,
  windowOfDays,
  withHolidaysOf,
} from "./domain/holiday/holiday-days.ts";
import { DIGEST_READ_MS, GUILD_TURNS } from "./digest-reads.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { windowPages } from "./window-pages.ts";

/** Entries of a calendar of holidays that are read at once: those of several years. */
const ENTRIES_AT_ONCE = 250;

/**
 * Finds the first entries of a calendar that cover some of the days, which are in ascending order.
 *
 * @param isIgnored - Whether an entry does not count.
 */
export type HolidayReader = (
  of: CalendarReference,
  days: readonly number[],
  isIgnored?: (entry: HolidayEntry) => boolean,
) => Promise<HolidaysByDay>;

/** A reader that throws after `maxMs`. One page is enough for a usual calendar; of a dense one it reads an entry a day. */
export function holidayReader(
  store: Pick<CalendarEventsStore, "snapshotReads">,
  calendars: Pick<CalendarsStore, "find">,
  maxMs: number,
): HolidayReader {
  const pages = windowPages(store, calendars, maxMs);
  return async (of, days, isIgnored = () => false) => {
    const calendar = await calendars.find(of.guildId, of.calendarNumber);
    const wanted = new Set(days);
    const found = new Map<number, HolidayEntry>();
    const end = performance.now() + maxMs;
    let [first] = days;
    let rest: { readonly cursor?: string } = {};
    let isDense = days.length === 1;
    while (first !== undefined) {
      if (performance.now() > end) throw new OperationTimeout(`the holidays of guild ${of.guildId}`);
      const window = windowOfDays(first, days.at(-1) ?? first, calendar);
      const limit = isDense && rest.cursor === undefined ? 1 : ENTRIES_AT_ONCE;
      // Sequential on purpose: the entries of a page decide where the next one begins.
      const page = await pages.page(of, window, { limit, ...rest });
      if (isRefusal(page)) throw new Error(`the holidays of a calendar: ${page.refusal}`);
      for (const entry of page.entries) {
        if (!isIgnored(entry)) addEntry(found, entry, wanted, coveredDays(entry, calendar));
      }
      if (page.next === undefined) break;
      const last = page.entries.at(-1);
      const reached: number = last === undefined ? first : Math.max(first, coveredDays(last, calendar).startDay);
      // The entries are in the order of their starts, so that no later one is the first of an earlier day.
      const next = days.find((day) => day >= reached && !found.has(day));
      isDense ||= reached <= first + 1;
      rest = next === first ? { cursor: page.next } : {};
      first = next;
    }
    return found;
  };
}

/** The occurrences with the holidays of these calendars, each of which is read once (D66). */
export async function withHolidays(
  occurrences: readonly Occurrence[],
  calendarNumbers: readonly number[],
  read: (calendarNumber: number, days: readonly number[]) => Promise<HolidaysByDay>,
): Promise<Occurrence[]> {
  if (calendarNumbers.length === 0 || occurrences.length === 0) return [...occurrences];
  const slices = new TimeSlice();
  const days = new Set<number>();
  for (const occurrence of occurrences) {
    if (occurrence.digest === undefined) days.add(dayOfOccurrence(occurrence));
    if (slices.isOver) await slices.rest();
  }
  const ascending = [...days].toSorted((one, other) => one - other);
  const calendars: HolidayCalendar[] = [];
  for (const calendarNumber of calendarNumbers) {
    // Sequential on purpose: one guild must not take the database from others.
    calendars.push({ calendarNumber, days: await read(calendarNumber, ascending) });
  }
  slices.begin();
  const found: Occurrence[] = [];
  for (const occurrence of occurrences) {
    found.push(withHolidaysOf(occurrence, calendars));
    if (slices.isOver) await slices.rest();
  }
  return found;
}

type IsAllowed = (calendarNumber: number) => Promise<boolean>;

/** Adds the holidays that a read of dispatch names. A calendar that the guild may not have (D20) has none. */
export interface HolidayReads {
  ofList(
    params: OccurrencesStartingParams,
    found: OccurrencesStarting,
    isAllowed: IsAllowed,
  ): Promise<OccurrencesStarting>;
  /** At the due instant; refuses a read that gets no turn. */
  ofOne(
    params: Pick<OccurrencesStartingParams, "guildId" | "holidaysOf">,
    occurrence: Occurrence,
    isAllowed: IsAllowed,
  ): Promise<Occurrence | Refusal>;
}

export function holidayReads(
  store: Pick<CalendarEventsStore, "snapshotReads">,
  calendars: Pick<CalendarsStore, "find">,
): HolidayReads {
  const readMany = holidayReader(store, calendars, SEARCH_TIMEOUT_MS);
  const readDay = sharedInTurns(holidayReader(store, calendars, DIGEST_READ_MS));
  return {
    async ofList({ guildId, holidaysOf = [] }, found, isAllowed) {
      if (holidaysOf.length === 0) return found;
      const occurrences = await withHolidays(found.occurrences, holidaysOf, async (calendarNumber, days) =>
        (await isAllowed(calendarNumber)) ? readMany({ guildId, calendarNumber }, days) : new Map(),
      );
      return { ...found, occurrences };
    },
    async ofOne({ guildId, holidaysOf = [] }, occurrence, isAllowed) {
      const found: HolidayCalendar[] = [];
      for (const calendarNumber of holidaysOf) {
        if (!(await isAllowed(calendarNumber))) continue;
        const days = await readDay({ guildId, calendarNumber }, dayOfOccurrence(occurrence));
        if (days === undefined) return refuse("TOO_MANY_REQUESTS");
        found.push({ calendarNumber, days });
      }
      return withHolidaysOf(occurrence, found);
    },
  };
}

/**
 * A guild may have a thousand posts at one instant, of occurrences on a few days, and a read of a large calendar takes half a second
 * of the database: concurrent reads of one day are one read, and a guild's reads run in turns. The result is undefined without a
 * turn.
 */
function sharedInTurns(
  read: HolidayReader,
): (of: CalendarReference, day: number) => Promise<HolidaysByDay | undefined> {
  const turns = new TurnsByKey<GuildId>(GUILD_TURNS);
  const inFlight = new InFlightMap<string, Promise<HolidaysByDay | undefined>>();
  return (of, day) => {
    const key = `${of.guildId} ${of.calendarNumber} ${day}`;
    const shared = inFlight.get(key);
    if (shared !== undefined) return shared;
    const result = turns.run(of.guildId, () => read(of, [day])).finally(() => inFlight.delete(key));
    inFlight.set(key, result);
    return result;
  };
}
