import { createRequire } from "node:module";
import ICAL from "ical.js";
import { RRuleTemporal } from "rrule-temporal";
import { parseRecurrence } from "../../../services/calendar-events/domain/recurrence/parse-recurrence.ts";
import { localToInstant } from "../../../services/calendar-events/domain/calendar/local-to-instant.ts";
import {
  occurrencesOverlapping,
  type Series,
} from "../../../services/calendar-events/domain/recurrence/occurrences.ts";
import type { Window } from "../../../services/calendar-events/domain/event/window.ts";
import { zoneNamed } from "../../../services/calendar-events/domain/calendar/zone.ts";
import type { Frequency } from "../../../services/contracts/recurrence.ts";
import { isRefusal } from "../../../services/contracts/errors.ts";
import type { Line } from "./line.ts";
import { perSecond } from "./per-second.ts";

// Node does not see the names that this CommonJS package exports.
const { rrulestr } = createRequire(import.meta.url)("rrule") as typeof import("rrule");

const DAY = 86_400_000;

interface Row {
  readonly name: string;
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number;
  /** Further parts of the rule, as RFC 5545 writes them. */
  readonly parts?: string;
  /** Whether one date of each month is left out. */
  readonly hasExceptions?: true;
  /** Wall time of the start. */
  readonly start: string;
  /** First day of the month that is asked for. */
  readonly month: string;
  readonly days: number;
}

const ROWS: readonly Row[] = [
  {
    name: "DAILY, begun 20 years before",
    frequency: "DAILY",
    interval: 1,
    count: -1,
    start: "2004-05-06T20:00:00",
    month: "2024-05-01",
    days: 31,
  },
  {
    name: "WEEKLY/2, begun 20 years before",
    frequency: "WEEKLY",
    interval: 2,
    count: -1,
    start: "2004-05-06T20:00:00",
    month: "2024-05-01",
    days: 31,
  },
  {
    name: "MONTHLY on the 31st, 20 years before",
    frequency: "MONTHLY",
    interval: 1,
    count: -1,
    start: "2004-05-31T20:00:00",
    month: "2024-05-01",
    days: 31,
  },
  {
    name: "YEARLY on 29 February, 20 years before",
    frequency: "YEARLY",
    interval: 1,
    count: -1,
    start: "2004-02-29T20:00:00",
    month: "2024-02-01",
    days: 29,
  },
  {
    name: "the end of a DAILY count of 10 000",
    frequency: "DAILY",
    interval: 1,
    count: 10_000,
    start: "2004-05-06T20:00:00",
    month: "2031-09-01",
    days: 30,
  },
  {
    name: "a set of weekdays, 20 years before",
    frequency: "WEEKLY",
    interval: 1,
    count: -1,
    parts: "BYDAY=TU,TH",
    start: "2004-05-06T20:00:00",
    month: "2024-05-01",
    days: 31,
  },
  {
    name: "the last Friday of the month, 20 years before",
    frequency: "MONTHLY",
    interval: 1,
    count: -1,
    parts: "BYDAY=-1FR",
    start: "2004-05-28T20:00:00",
    month: "2024-05-01",
    days: 31,
  },
  {
    name: "DAILY until the end of the month, 20 years before",
    frequency: "DAILY",
    interval: 1,
    count: -1,
    parts: "UNTIL=20240531T235959Z",
    start: "2004-05-06T20:00:00",
    month: "2024-05-01",
    days: 31,
  },
  {
    name: "WEEKLY with 100 exceptions, 20 years before",
    frequency: "WEEKLY",
    interval: 1,
    count: -1,
    hasExceptions: true,
    start: "2004-05-06T20:00:00",
    month: "2024-05-01",
    days: 31,
  },
];

/** The exceptions of a row, as wall times: the second date of each of 99 months, and one in the month that is asked for. */
function exceptionsOf({ hasExceptions, start, month, days }: Row): readonly number[] {
  if (hasExceptions === undefined) return [];
  const first = Date.parse(`${start}Z`);
  const weeks = Array.from({ length: 99 }, (_, at) => first + (1 + 4 * at) * 7 * DAY);
  const asked = Date.parse(`${month}T00:00:00Z`) + (days - 7) * DAY;
  return [...weeks, first + Math.floor((asked - first) / (7 * DAY)) * 7 * DAY];
}

function textOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
}

/** One way to answer a row's question; the number of occurrences found. */
type Answer = () => number;

function answersTo(row: Row, zoneName: string): Record<string, Answer> {
  const { frequency, interval, count, parts } = row;
  const counted = count === -1 ? "" : `;COUNT=${count}`;
  const rule = `FREQ=${frequency};INTERVAL=${interval}${counted}${parts === undefined ? "" : `;${parts}`}`;
  const exceptions = exceptionsOf(row);
  const zone = zoneNamed(zoneName);
  if (zone === undefined) throw new Error(zoneName);
  const firstDay = localToInstant(Date.parse(`${row.month}T00:00:00Z`), zone);
  let asked = 0;
  // Never the same question twice in a row: none of them may answer from memory.
  const nextWindow = (): Window => {
    asked = (asked + 1) % 8;
    return { from: firstDay + asked * 60_000, until: firstDay + row.days * DAY };
  };
  const exDates = exceptions.length === 0 ? "" : `\nEXDATE;TZID=${zoneName}:${exceptions.map(textOf).join(",")}`;
  const rruleString = `DTSTART;TZID=${zoneName}:${row.start.replaceAll(/[-:]/g, "")}\nRRULE:${rule}${exDates}`;
  const startsAt = new RRuleTemporal({ rruleString }).all((_, at) => at < 1)[0]?.epochMilliseconds ?? 0;
  const between = (built: { between(from: Date, until: Date, inc: boolean): readonly unknown[] }) => {
    const { from, until } = nextWindow();
    return built.between(new Date(from), new Date(until - 1), true).length;
  };
  const warm = new RRuleTemporal({ rruleString });
  const given = parseRecurrence({ rrule: rule, exDates: exceptions.map((wall) => localToInstant(wall, zone)) }, zone);
  if (isRefusal(given)) throw new Error(rule);
  return {
    ours() {
      const series: Series = {
        startsAt,
        endsAt: startsAt,
        recurrence: given,
        clock: [{ zone, since: 0 }],
      };
      return occurrencesOverlapping(series, nextWindow(), 10_001).length;
    },
    "rrule-temporal": () => between(new RRuleTemporal({ rruleString })),
    "rrule-temporal, warm": () => between(warm),
    rrule() {
      return between(rrulestr(rruleString, { forceset: exceptions.length > 0 }));
    },
    // It reads rules alone: the exceptions are compared here.
    "ical.js"() {
      const left = new Set(exceptions);
      const iterator = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromDateTimeString(row.start));
      const { from, until } = nextWindow();
      let found = 0;
      for (let next = iterator.next() as ICAL.Time | null; next !== null; next = iterator.next() as ICAL.Time | null) {
        const at = next.toUnixTime() * 1000;
        if (at >= until) break;
        if (at >= from && !left.has(at)) found += 1;
      }
      return found;
    },
  };
}

/** Windows a second for each row and zone, and how many times as many ours are; `name` picks rows by a part of theirs. */
export function benchRecurrence(name = ""): Line[] {
  const rows = ROWS.filter((row) => row.name.includes(name));
  return ["UTC", "America/New_York"].flatMap((zoneName) => rows.map((row) => lineOf(row, zoneName)));
}

function lineOf(row: Row, zoneName: string): Line {
  const answers = Object.entries(answersTo(row, zoneName));
  const rates = perSecond(answers.map(([, answer]) => answer));
  for (const [name, answer] of answers) if (answer() === 0) throw new Error(`${name} finds nothing: ${row.name}`);
  const [ours = 0, cold = 0, warm = 0, ...others] = rates;
  // Kept, rrule-temporal remembers what rules with BYxxx parts chose before.
  const beatsWarm = row.parts?.startsWith("BY") === true || ours >= 2 * warm;
  const held = ours >= 5 * cold && beatsWarm && (row.count !== -1 || others.every((rate) => ours >= 100 * rate));
  const columns = answers.map(([name], at) => `${name} ${Math.round(rates[at] ?? 0)}`);
  const ratios = rates.slice(1).map((rate) => `${(ours / rate).toFixed(1)}x`);
  return { held, text: `${zoneName}, ${row.name}: ${columns.join(" | ")} | ours: ${ratios.join(" ")}` };
}
