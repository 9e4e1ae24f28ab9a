import type { EpochMs } from "../../contracts/ids.ts";
import { civilOfDays, DAY_MS, daysInMonth, daysOfCivil } from "./civil-days.ts";

/** One change of a zone's clock: before `at` it is `before` milliseconds ahead of UTC, from then on `after`. */
export interface ClockChange {
  readonly at: EpochMs;
  readonly before: number;
  readonly after: number;
}

/** The clock of a zone around a stretch of time: `first` ms ahead of UTC, then changed by `changes`, in order. */
interface ClockSpan {
  readonly first: number;
  readonly changes: readonly ClockChange[];
}

/** The clock of a time zone. */
export interface Zone {
  /** IANA name. */
  readonly name: string;
  /** The clock around `at`, which is an instant or a wall time read as UTC. Holds for two days to either side. */
  spanAround(at: number): ClockSpan;
}

/** About 400 days. */
const SPAN_MS = 2 ** 35;
/** About 6 days: from 1970 to 2100 no zone changes its clock twice in less than 7. */
const PROBE_MS = 2 ** 29;
/** No wall clock is further from UTC than that, so a wall time and its instant share a span. */
const MARGIN_MS = 2 * 86_400_000;
/** Spans that are kept for a zone: more than a century. */
const MAX_SPANS = 120;

const STEADY: ClockSpan = { first: 0, changes: [] };

/** UTC, which never changes. */
export const UTC: Zone = { name: "UTC", spanAround: () => STEADY };

const zones = new Map<string, Zone>();

/**
 * The zone of an IANA name, whose letters' case doesn't matter; undefined when there is none. An offset such as
 * `+02:00` is no zone.
 */
export function zoneNamed(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const clock = /^[A-Za-z]/.test(name) ? clockOf(name) : undefined;
  if (clock === undefined) return undefined;
  const canonical = clock.resolvedOptions().timeZone;
  const zone = canonical === "UTC" ? UTC : (zones.get(canonical) ?? zoneOf(canonical, clock));
  // Only the canonical name is kept: spellings are without number.
  zones.set(canonical, zone);
  return zone;
}

function clockOf(name: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
}

function zoneOf(name: string, clock: Intl.DateTimeFormat): Zone {
  const spans = new Map<number, ClockSpan>();
  let last = { index: Number.NaN, span: STEADY };
  return {
    name,
    spanAround(late) {
      const shift = laterThanItsModel(late);
      const span = ownSpan(late - shift);
      return shift === 0 || span === STEADY ? span : shifted(span, shift);
    },
  };

  function ownSpan(at: number): ClockSpan {
    const index = Math.floor(at / SPAN_MS);
    if (index === last.index) return last.span;
    let span = spans.get(index);
    if (span === undefined) {
      if (spans.size >= MAX_SPANS) spans.clear();
      span = readSpan(clock, index * SPAN_MS - MARGIN_MS, (index + 1) * SPAN_MS + MARGIN_MS);
      spans.set(index, span);
    }
    last = { index, span };
    return span;
  }
}

/**
 * From 2132 on a year's clock changes are those of its model among the 28 years before, the one as long that begins on the
 * same weekday: no zone has rules for single years after 2087. Reading a year costs 0.1 to 0.4 ms, and there are 8 000.
 */
const FIRST_MODEL = 2104;
const MODELS = new Map(
  Array.from({ length: 28 }, (_, at) => [kindOfYear(FIRST_MODEL + at), FIRST_MODEL + at] as const),
);
const FIRST_MODELLED_MS = firstDayOf(FIRST_MODEL + 28) * DAY_MS;

/** How much later, in milliseconds, the year of a time is than its model; 0 for a year that is its own. */
function laterThanItsModel(at: number): number {
  if (at < FIRST_MODELLED_MS) return 0;
  const { year } = civilOfDays(Math.floor(at / DAY_MS));
  return (firstDayOf(year) - firstDayOf(MODELS.get(kindOfYear(year)) ?? year)) * DAY_MS;
}

/** By its first weekday and whether it has 29 February. */
function kindOfYear(year: number): number {
  return (firstDayOf(year) % 7) * 100 + daysInMonth(year, 2);
}

function firstDayOf(year: number): number {
  return daysOfCivil({ year, month: 1, day: 1 });
}

function shifted({ first, changes }: ClockSpan, shift: number): ClockSpan {
  return { first, changes: changes.map(({ at, before, after }) => ({ at: at + shift, before, after })) };
}

function readSpan(clock: Intl.DateTimeFormat, from: number, until: number): ClockSpan {
  const first = readOffset(clock, from);
  const changes: ClockChange[] = [];
  let before = first;
  for (let at = from; at < until; at += PROBE_MS) {
    const end = Math.min(at + PROBE_MS, until);
    const after = readOffset(clock, end);
    if (after === before) continue;
    changes.push({ at: instantOfChange(clock, at, end), before, after });
    before = after;
  }
  return { first, changes };
}

/** The first millisecond that has not the offset of `from` any more, by bisection. */
function instantOfChange(clock: Intl.DateTimeFormat, from: number, until: number): number {
  const before = readOffset(clock, from);
  let [low, high] = [from, until];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (readOffset(clock, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** How far the clock is ahead of UTC at an instant, read from a text such as `1/1/1972, GMT-00:44:30`. */
function readOffset(clock: Intl.DateTimeFormat, at: EpochMs): number {
  const [, sign, hours, minutes, seconds] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(clock.format(at)) ?? [];
  if (sign === undefined) return 0;
  const length = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds ?? 0) * 1000;
  return sign === "-" ? -length : length;
}
