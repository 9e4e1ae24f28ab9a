import {
  type ClockChange,
  clockBetween,
  instantIn,
  type YearlyChange,
  type ZoneRules,
} from "../../../../mixins/time-zones/zone-rules.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { WEEKDAYS } from "../../../contracts/recurrence.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { component, contentLine } from "./content-line.ts";
import { wallStamp } from "./date-time.ts";

/** One clock change, or a yearly one with its RRULE (RFC 5545, section 3.6.5). */
interface Observance {
  readonly isDaylight: boolean;
  /** Wall time of the first onset, by the offset before it. */
  readonly onset: WallMs;
  readonly before: number;
  readonly after: number;
  readonly rrule?: string;
}

/** A VTIMEZONE with all clock changes from an instant on. */
export function timeZoneComponent(name: string, rules: ZoneRules, from: EpochMs): string {
  const observances = observancesFrom(rules, from).map(observanceComponent);
  return component("VTIMEZONE", contentLine("TZID", name) + observances.join(""));
}

function observanceComponent({ isDaylight, onset, before, after, rrule }: Observance): string {
  const lines = [
    contentLine("DTSTART", wallStamp(onset)),
    contentLine("TZOFFSETFROM", offsetText(before)),
    contentLine("TZOFFSETTO", offsetText(after)),
    ...(rrule === undefined ? [] : [contentLine("RRULE", rrule)]),
  ];
  return component(isDaylight ? "DAYLIGHT" : "STANDARD", lines.join(""));
}

/** Within this number of years a weekday takes each of its seven dates in a month. */
const YEARS_OF_ALL_DATES = 13;

/** Begins one year early, so that both changes of that year are before `from`. */
function observancesFrom(rules: ZoneRules, from: EpochMs): Observance[] {
  const begin = Date.UTC(yearOf(from) - 1, 0, 1);
  const listedUntil = rules.changes.at(-1)?.at ?? begin;
  const end = Date.UTC(yearOf(Math.max(listedUntil, from)) + YEARS_OF_ALL_DATES, 0, 1);
  const { first, changes } = clockBetween(rules, begin - 1, end);
  const regular = regularFrom(changes, rules.yearly, [begin, end]);
  const once = changes.slice(0, regular).map(({ at, before, after }, place): Observance => ({
    isDaylight: after > before && (changes[place + 1]?.after ?? after) < after,
    onset: at + before,
    before,
    after,
  }));
  const yearly = rules.yearly.flatMap((change) => yearlyObservances(change, changes.slice(regular)));
  const all = [...once, ...yearly];
  const isKnownFromTheStart = changes[0] !== undefined && changes[0].at <= from;
  if (isKnownFromTheStart) return all;
  return [{ isDaylight: false, onset: begin + first, before: first, after: first }, ...all];
}

/** Index of the first change from which on the changes are exactly the yearly ones. */
function regularFrom(changes: readonly ClockChange[], yearly: readonly YearlyChange[], [begin, end]: Span): number {
  const years = Array.from({ length: yearOf(end) - yearOf(begin) + 3 }, (_, after) => yearOf(begin) - 1 + after);
  const expected = years.flatMap((year) => yearly.map((rule) => instantIn(year, rule)));
  const known = new Set(changes.map(({ at }) => at));
  const missing = expected.filter((at) => at >= begin && at <= end && !known.has(at));
  const lastMissing = Math.max(-Infinity, ...missing);
  return changes.findLastIndex((change) => change.at < lastMissing || !yearly.some((rule) => isOf(rule, change))) + 1;
}

type Span = readonly [begin: EpochMs, end: EpochMs];

function yearOf(at: EpochMs): number {
  return new Date(at).getUTCFullYear();
}

function isOf(rule: YearlyChange, { at, before, after }: ClockChange): boolean {
  if (rule.before !== before || rule.offset !== after) return false;
  // The local year can be another one than the year of the instant.
  const year = yearOf(at);
  return [year, year - 1, year + 1].some((each) => instantIn(each, rule) === at);
}

function yearlyObservances(rule: YearlyChange, regular: readonly ClockChange[]): Observance[] {
  const own = regular.filter((change) => isOf(rule, change));
  const { before, offset: after } = rule;
  return yearlyDates(rule).flatMap(({ month, text }) => {
    const first = own.find(({ at }) => new Date(at + before).getUTCMonth() + 1 === month);
    if (first === undefined) return [];
    return [{ isDaylight: after > before, onset: first.at + before, before, after, rrule: `FREQ=YEARLY;${text}` }];
  });
}

/** Sunday first, as `YearlyChange` counts. */
const DAY_NAMES = [...WEEKDAYS.slice(-1), ...WEEKDAYS];
/** A common year: no yearly change depends on the leap day. */
const COMMON_YEAR = 2001;

/** The parts of an RRULE that give the dates of a yearly change: one for each month in which it may lie. */
function yearlyDates({ month, day, weekday, time }: YearlyChange): { readonly month: number; readonly text: string }[] {
  const shift = Math.floor(time / DAY_MS);
  const dates = Array.from({ length: weekday === undefined ? 1 : 7 }, (_, wait) => {
    const date = new Date(Date.UTC(COMMON_YEAR, month - 1, 1 + day + shift + wait));
    return { month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  });
  const name = weekday === undefined ? undefined : DAY_NAMES[(weekday + shift + 7) % 7];
  const byMonth = Map.groupBy(dates, (date) => date.month);
  return [...byMonth].map(([of, some]) => {
    const days = some.map((date) => date.day);
    return { month: of, text: `BYMONTH=${of};${name === undefined ? monthDays(days) : weekdayAmong(name, days, of)}` };
  });
}

function monthDays(days: readonly number[]): string {
  return `BYMONTHDAY=${days.join(",")}`;
}

/** Seven days that are the nth or last week of a month are written as BYDAY with a number: some readers support no other form. */
function weekdayAmong(name: string, days: readonly number[], month: number): string {
  const [first = 0, last = 0] = [days[0], days.at(-1)];
  const isWeek = days.length === 7;
  if (isWeek && last === new Date(Date.UTC(COMMON_YEAR, month, 0)).getUTCDate()) return `BYDAY=-1${name}`;
  if (isWeek && first % 7 === 1) return `BYDAY=${(first + 6) / 7}${name}`;
  return `BYDAY=${name};${monthDays(days)}`;
}

/** Such as +0200, or with seconds -004430. */
function offsetText(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[2] === 0 ? parts.slice(0, 2) : parts;
  return (offset < 0 ? "-" : "+") + shown.map((part) => String(part).padStart(2, "0")).join("");
}
