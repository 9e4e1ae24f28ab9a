import fc from "fast-check";
import { effectiveOccurrence } from "../../../services/calendar-events/domain/event/effective-occurrence.ts";
import { seriesOf } from "../../../services/calendar-events/domain/event/event.ts";
import type { Override } from "../../../services/calendar-events/domain/event/override.ts";
import type { FeedEvent } from "../../../services/calendar-events/domain/feed/event-component.ts";
import { timesInAnchorZone } from "../../../services/calendar-events/domain/calendar/days.ts";
import { localToInstant } from "../../../services/calendar-events/domain/calendar/local-to-instant.ts";
import { eachOccurrenceStarting } from "../../../services/calendar-events/domain/recurrence/occurrences.ts";
import { newRecurring } from "../../../services/calendar-events/domain/recurrence/recurring.ts";
import type { Recurrence } from "../../../services/contracts/recurrence.ts";
import type { Window } from "../../../services/contracts/window.ts";
import { type FeedContents, feedPagesOf } from "../../doubles/feed-reads.ts";
import { sampleCalendar, sampleId } from "../../fixtures/feed-samples.ts";
import { anyByRuleSeries, isNthOfYearAmongOthers, isSetOfWeeks } from "../any-rule.ts";
import { DAY, zone } from "../any-series.ts";
import { anyTimedSeries } from "../any-timed-rule.ts";

/** Zones with clock changes at various hours, dates and amounts, in both hemispheres, and without any. */
export const INTEROP_ZONES =
  `UTC America/New_York America/Chicago America/Denver America/Los_Angeles America/Anchorage America/Halifax
America/St_Johns America/Havana America/Santiago America/Asuncion America/Sao_Paulo America/Mexico_City America/Phoenix America/Nuuk
Atlantic/Azores Europe/London Europe/Dublin Europe/Lisbon Europe/Berlin Europe/Athens Europe/Chisinau Europe/Istanbul Europe/Moscow
Africa/Cairo Africa/Lagos Africa/Johannesburg Asia/Beirut Asia/Jerusalem Asia/Tehran Asia/Kolkata Asia/Kathmandu Asia/Shanghai Asia/Tokyo
Australia/Sydney Australia/Adelaide Australia/Lord_Howe Pacific/Auckland Pacific/Chatham Pacific/Apia`.split(/\s+/);

const SERIES = 300;
const SEED = 20_261_125;
/** Time in which occurrences are compared: several clock changes of each zone. */
const COMPARED_MS = 600 * DAY;

/** A series as our feed writes it, and its starts. */
export interface InteropSeries {
  readonly text: string;
  readonly timezone: string;
  readonly rrule: Recurrence;
  readonly window: Window;
  readonly starts: readonly number[];
}

/** Rules that programs read alike, by RFC 5545. */
const isReadAlike = (rule: Recurrence) => !isSetOfWeeks(rule) && !isNthOfYearAmongOthers(rule);
/** Rules that programs are known to read differently. */
export const isReadDifferently = (rule: Recurrence) => !isReadAlike(rule);

/** The 300 series of the matrix, or those with other rules: the same in each run. */
export async function interopSeries(accepts: (rule: Recurrence) => boolean = isReadAlike): Promise<InteropSeries[]> {
  const read = anyByRuleSeries.filter(({ wall, series: { recurrence } }) => {
    const year = new Date(wall).getUTCFullYear();
    return year >= 2007 && year <= 2032 && accepts(recurrence);
  });
  const sampled = fc.sample(read, { numRuns: SERIES, seed: SEED });
  return Promise.all(sampled.map(({ wall, series }, at) => seriesOfMatrix(at, wall, series.recurrence)));
}

/** Number of series with times of day, in addition to the 300. */
const TIMED_SERIES = 60;

/** Series of rules with times of day. None of them is all-day. */
export async function timedSeries(): Promise<InteropSeries[]> {
  const read = anyTimedSeries.filter(({ wall }) => {
    const year = new Date(wall).getUTCFullYear();
    return year >= 2007 && year <= 2032;
  });
  const sampled = fc.sample(read, { numRuns: TIMED_SERIES, seed: SEED });
  const places = sampled.map((_, at) => at + Math.floor(at / 4)); // without every fifth place
  return Promise.all(sampled.map(({ wall, series }, at) => seriesOfMatrix(places[at] ?? 0, wall, series.recurrence)));
}

/** Every fifth series is all-day, and parts of them have exceptions, additions, an end, and changed occurrences. */
async function seriesOfMatrix(at: number, wall: number, rule: Recurrence): Promise<InteropSeries> {
  const timezone = INTEROP_ZONES[at % INTEROP_ZONES.length] ?? "UTC";
  const isAllDay = at % 5 === 4;
  const anchor = { timezone, version: 1 };
  const startsAt = localToInstant(wall, zone(timezone));
  const startDay = Math.floor(wall / DAY);
  const allDay = isAllDay ? { startDay, endDay: startDay + 1 + (at % 3), anchor } : undefined;
  const times = allDay === undefined ? { startsAt, endsAt: startsAt + 90 * 60_000 } : timesInAnchorZone(allDay);
  const start = { ...times, ...(allDay === undefined ? {} : { allDay }) };
  const window = { from: times.startsAt, until: times.startsAt + COMPARED_MS };
  const eventWith = (recurrence: Recurrence, hasOverrides = false): FeedEvent => ({
    id: sampleId(at + 1),
    color: "NONE",
    revision: 1,
    changedAt: 1,
    ...start,
    recurring: newRecurring(recurrence, anchor, start, hasOverrides),
  });
  const calendar = sampleCalendar(timezone);
  const plain = seriesOf(eventWith(rule), calendar);
  if (plain === undefined) throw new Error("no series");
  const first = [...eachOccurrenceStarting(plain, window, 20)].map(({ original }) => original);
  const last = first.at(-1) ?? times.startsAt;
  const recurrence: Recurrence = {
    ...rule,
    ...(at % 3 === 0 ? { exDates: first.slice(2, 4) } : {}),
    ...(at % 7 === 1 && !isAllDay ? { rDates: [last + 5 * DAY + 3_600_000] } : {}),
    ...(at % 4 === 2 && rule.count === -1 && first.length > 1 ? { until: last } : {}),
  };
  const overrides = at % 2 === 0 ? overridesOf(eventWith(recurrence), first.slice(5, 7), isAllDay) : [];
  const event = eventWith(recurrence, overrides.length > 0);
  const contents: FeedContents = { calendar, events: [event], overrides };
  const text = (await feedPagesOf(contents)).join("");
  return { text, timezone, rrule: recurrence, window, starts: startsOf(contents, event, window) };
}

/** The first is moved by two hours, or renamed if it is all-day, and the second is cancelled. */
function overridesOf({ id }: FeedEvent, [first, second]: readonly number[], isAllDay: boolean): Override[] {
  const untouched = { eventId: id, cancelled: false, texts: {} };
  const anchor = { timezone: "UTC", version: 0 };
  const moved = (original: number) => ({ startsAt: original + 7_200_000, endsAt: original + 9_000_000, anchor });
  return [
    ...(first === undefined
      ? []
      : [{ ...untouched, original: first, ...(isAllDay ? { texts: { name: "Other" } } : { moved: moved(first) }) }]),
    ...(second === undefined ? [] : [{ ...untouched, original: second, cancelled: true }]),
  ];
}

function startsOf({ calendar, overrides = [] }: FeedContents, event: FeedEvent, window: Window): number[] {
  const series = seriesOf(event, calendar);
  if (series === undefined) throw new Error("no series");
  const own = new Map(overrides.map((override) => [override.original, override]));
  const effective = [...eachOccurrenceStarting(series, window, Infinity)].flatMap(
    (occurrence) => effectiveOccurrence(event, occurrence, own.get(occurrence.original), calendar) ?? [],
  );
  return effective.map(({ startsAt }) => startsAt).toSorted((one, other) => one - other);
}

/**
 * The starts that are compared: those of the window, but its last day, to which an occurrence may be moved, that are not within
 * six hours of a clock change, at which libraries read times that do not exist, or exist twice, differently.
 */
export function comparedStarts(
  { timezone, window }: Pick<InteropSeries, "timezone" | "window">,
  starts: readonly number[],
): number[] {
  const place = zone(timezone);
  const isNear = (at: number) => place.spanAround(at).changes.some((change) => Math.abs(change.at - at) < DAY / 4);
  return starts.filter((at) => at >= window.from && at < window.until - DAY && !isNear(at));
}
