import type { EpochMs } from "../../../contracts/ids.ts";
import { isRefusal } from "../../../contracts/errors.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { Window } from "../../../contracts/window.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { UTC } from "../calendar/zone.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import { occurrencesStarting } from "../recurrence/occurrences.ts";
import { parseRecurrence } from "../recurrence/parse-recurrence.ts";
import { readDateValue } from "./date-value.ts";
import { readProperty } from "./property.ts";

/** A STANDARD or DAYLIGHT component of a VTIMEZONE (RFC 5545, section 3.6.5). Offsets are milliseconds east of UTC. */
interface Observance {
  readonly onset: WallMs;
  readonly before: number;
  readonly after: number;
  readonly recurrence?: Recurrence;
  /** The last date of a rule with an UNTIL. */
  readonly last?: WallMs;
  /** The RDATEs; undefined if one of them cannot be read. */
  readonly dates: readonly WallMs[] | undefined;
}

/** A VTIMEZONE. */
export interface TimeZoneComponent {
  readonly tzid: string;
  /** The IANA name that libical writes. */
  readonly location: string | undefined;
  readonly observances: readonly Observance[];
}

/**
 * Parses a VTIMEZONE, whose lines a line feed separates. Observances that cannot be read are left out, and all of them if an
 * RDATE cannot be read: without a change of its clock a zone would be taken for another one.
 */
export function readTimeZone(text: string): TimeZoneComponent {
  const own = new Map<string, string>();
  const observances: Observance[] = [];
  let fields: Map<string, string> | undefined;
  for (const line of text.split("\n")) {
    const property = readProperty(line);
    if (property === undefined) continue;
    const { name, value } = property;
    if (name === "BEGIN") fields = new Map();
    else if (name === "END") {
      const observance = fields === undefined ? undefined : observanceOf(fields);
      if (observance !== undefined) observances.push(observance);
      fields = undefined;
    } else if (name === "RDATE") fields?.set(name, [...(fields.has(name) ? [fields.get(name)] : []), value].join(","));
    else (fields ?? own).set(name, value);
  }
  const isReadable = observances.every(({ dates }) => dates !== undefined);
  return {
    tzid: own.get("TZID") ?? "",
    location: own.get("X-LIC-LOCATION"),
    observances: isReadable ? observances : [],
  };
}

function observanceOf(fields: ReadonlyMap<string, string>): Observance | undefined {
  const start = readDateValue(fields.get("DTSTART") ?? "");
  const [before, after] = ["TZOFFSETFROM", "TZOFFSETTO"].map((name) => readOffset(fields.get(name) ?? ""));
  if (start === undefined || before === undefined || after === undefined) return undefined;
  const rule = ruleOf(fields.get("RRULE"), start.wall, before);
  return { onset: start.wall, before, after, ...rule, dates: readDates(fields.get("RDATE")) };
}

/** The rule of an observance, on its wall clock; an observance with another rule has its first onset alone. */
function ruleOf(rrule: string | undefined, onset: WallMs, before: number): Pick<Observance, "recurrence" | "last"> {
  const given = rrule === undefined ? undefined : parseRecurrence({ rrule }, UTC);
  if (given === undefined || isRefusal(given) || !isCheap(given)) return {};
  if (given.until === undefined) return { recurrence: given };
  // An UNTIL in UTC is an instant (RFC 5545, section 3.3.10), and the onsets are on the clock before the change.
  const until = given.until + (/UNTIL=[0-9]+T[0-9]+Z/i.test(rrule ?? "") ? before : 0);
  const recurrence = { ...given, until };
  return { recurrence, last: lastDate(onset, recurrence, until) };
}

/** The last date of a rule in about sixty years until a wall time; the onset of a rule without such a date. */
function lastDate(onset: WallMs, recurrence: Recurrence, until: WallMs): WallMs {
  let end = until + 1;
  // A rule has a date in its last year, except one of leap years or with an interval. A hostile one has none in any year.
  for (let years = 1; years <= MAX_SEARCHED_YEARS && end > onset; years *= 2) {
    const from = end - years * YEAR_MS;
    const last = datesIn({ onset, recurrence }, { from, until: end }).at(-1);
    if (last !== undefined) return last;
    end = from;
  }
  return onset;
}

/** Most years of one step of the search for a last date; the steps before it have as many years together. */
const MAX_SEARCHED_YEARS = 32;
const YEAR_MS = 366 * DAY_MS;

/** The dates of a rule in a window. A yearly rule has few dates in a year; of a hostile one, which has many, it is the first ones. */
function datesIn({ onset, recurrence }: { readonly onset: WallMs; readonly recurrence: Recurrence }, window: Window) {
  const series = { startsAt: onset, endsAt: onset, recurrence, clock: [{ zone: UTC, since: 0 }] } as const;
  return occurrencesStarting(series, window, 40).map(({ startsAt }) => startsAt);
}

/** The values of RDATEs; undefined if one of them is not a date with local time (RFC 5545, section 3.6.5). */
function readDates(text: string | undefined): WallMs[] | undefined {
  if (text === undefined) return [];
  const values = text.split(",").map(readDateValue);
  const walls = values.flatMap((value) => (value?.kind === "local" ? [value.wall] : []));
  return walls.length === values.length ? walls : undefined;
}

/**
 * Whether the onsets of a year cost little. Time zones have yearly rules; the last date by a count would be found by a walk
 * over all dates, for each observance and each year in which events start.
 */
function isCheap({ frequency, count }: Recurrence): boolean {
  return frequency === "YEARLY" && count === -1;
}

/** `+0130` or `-050000` in milliseconds. */
function readOffset(text: string): number | undefined {
  const [, sign, hours, minutes, seconds] = /^([+-])([0-9]{2})([0-9]{2})([0-9]{2})?$/.exec(text.trim()) ?? [];
  if (sign === undefined) return undefined;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds ?? 0)) * 1_000;
  return sign === "-" ? -ms : ms;
}

/** A change of the offset at an instant. */
export interface Onset {
  readonly at: EpochMs;
  readonly before: number;
  readonly after: number;
}

/**
 * The onsets in a year and the two years before, and all earlier onsets of observances without an endless rule, of which the last
 * one may be old; in order.
 */
export function onsetsAround(observances: readonly Observance[], year: number): Onset[] {
  const window = { from: Date.UTC(year - 2, 0, 1), until: Date.UTC(year + 1, 0, 1) };
  const onsets = observances.flatMap(({ onset, before, after, recurrence, last, dates = [] }) => {
    const ofRule =
      recurrence === undefined
        ? [onset]
        : [...datesIn({ onset, recurrence }, window), ...(last === undefined ? [] : [last])];
    const walls = [...new Set([...ofRule, ...dates])].filter((wall) => wall < window.until);
    return walls.map((wall) => ({ at: wall - before, before, after }));
  });
  return onsets.toSorted((one, other) => one.at - other.at);
}

/** The offset at an instant; undefined without an observance. */
export function offsetAt(onsets: readonly Onset[], at: EpochMs): number | undefined {
  const last = onsets.findLast((onset) => onset.at <= at);
  return last?.after ?? onsets[0]?.before;
}
