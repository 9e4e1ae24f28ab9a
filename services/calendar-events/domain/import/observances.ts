import type { EpochMs } from "../../../contracts/ids.ts";
import { isRefusal } from "../../../contracts/errors.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { UTC } from "../calendar/zone.ts";
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
}

/** A VTIMEZONE. */
export interface TimeZoneComponent {
  readonly tzid: string;
  /** The IANA name that libical writes. */
  readonly location: string | undefined;
  readonly observances: readonly Observance[];
}

/** Parses a VTIMEZONE, whose lines a line feed separates. Observances that cannot be read are left out. */
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
    } else (fields ?? own).set(name, value);
  }
  return { tzid: own.get("TZID") ?? "", location: own.get("X-LIC-LOCATION"), observances };
}

function observanceOf(fields: ReadonlyMap<string, string>): Observance | undefined {
  const start = readDateValue(fields.get("DTSTART") ?? "");
  const [before, after] = ["TZOFFSETFROM", "TZOFFSETTO"].map((name) => readOffset(fields.get(name) ?? ""));
  if (start === undefined || before === undefined || after === undefined) return undefined;
  const rrule = fields.get("RRULE");
  const recurrence = rrule === undefined ? undefined : parseRecurrence({ rrule }, UTC);
  const rule = recurrence === undefined || isRefusal(recurrence) || !isCheap(recurrence) ? {} : { recurrence };
  return { onset: start.wall, before, after, ...rule };
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

/** The onsets in a year and the two years before, and all earlier onsets of observances without a rule; in order. */
export function onsetsAround(observances: readonly Observance[], year: number): Onset[] {
  const window = { from: Date.UTC(year - 2, 0, 1), until: Date.UTC(year + 1, 0, 1) };
  const onsets = observances.flatMap(({ onset, before, after, recurrence }) => {
    if (recurrence === undefined) return onset < window.until ? [{ at: onset - before, before, after }] : [];
    const startsAt = notBefore(onset, year - 3);
    const series = { startsAt, endsAt: startsAt, recurrence, clock: [{ zone: UTC, since: 0 }] } as const;
    // A yearly rule has few onsets in a year; a hostile one has many.
    const starts = occurrencesStarting(series, window, 40);
    return starts.map((start) => ({ at: start.startsAt - before, before, after }));
  });
  return onsets.toSorted((one, other) => one.at - other.at);
}

/** The same day and time in this year if the onset is earlier: Outlook's observances begin in 1601, with yearly rules. */
function notBefore(onset: WallMs, year: number): WallMs {
  const date = new Date(onset);
  if (date.getUTCFullYear() >= year) return onset;
  return date.setUTCFullYear(year);
}

/** The offset at an instant; undefined without an observance. */
export function offsetAt(onsets: readonly Onset[], at: EpochMs): number | undefined {
  const last = onsets.findLast((onset) => onset.at <= at);
  return last?.after ?? onsets[0]?.before;
}
