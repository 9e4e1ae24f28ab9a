import { createRequire } from "node:module";
import { RRuleTemporal } from "rrule-temporal";
import { ianaZone } from "../../../../services/calendar-events/domain/calendar/zone.ts";
import {
  occurrencesStarting,
  type Series,
} from "../../../../services/calendar-events/domain/recurrence/occurrences.ts";
import { fullRecurrence } from "../../../../services/calendar-events/domain/recurrence/parse-recurrence.ts";
import { readRrule } from "../../../../services/calendar-events/domain/recurrence/rrule-text.ts";
import type { Window } from "../../../../services/contracts/window.ts";
import type { Section } from "../table/section.ts";
import { medianRow, type TableRow } from "../table/table-row.ts";

/** Node loads the CommonJS build of rrule, whose names it does not find in an import. */
const { RRule, RRuleSet } = createRequire(import.meta.url)("rrule") as typeof import("rrule");

const NAME = "calendar rules";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ZONE_NAME = "Europe/Berlin";
/** The months that are listed are 20 to 40 years after the start of each series. */
const MONTHS = Array.from({ length: 240 }, (_, at) => (at * 97) % 240);
const FIRST_YEAR = 2024;
const MAX_OCCURRENCES = 100;

/** A series that starts at 19:00 in Berlin. */
interface Rule {
  readonly name: string;
  readonly start: string;
  readonly rrule: string;
  /** Days after the start. */
  readonly exDays?: readonly number[];
}

const RULES: readonly Rule[] = [
  { name: "weekday sets", start: "20040504", rrule: "FREQ=WEEKLY;BYDAY=TU,TH" },
  { name: "last Friday", start: "20040528", rrule: "FREQ=MONTHLY;BYDAY=-1FR" },
  { name: "until", start: "20040504", rrule: "FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20500630T215959Z" },
  {
    name: "ex_dates",
    start: "20040504",
    rrule: "FREQ=WEEKLY;BYDAY=TU,TH",
    exDays: Array.from({ length: 100 }, (_, at) => 7 * (52 * 20 + 10 * at)),
  },
];

/** The starts in a window. */
type ListStarts = (window: Window) => readonly number[];

function monthWindow(month: number): Window {
  return { from: Date.UTC(FIRST_YEAR, month, 1), until: Date.UTC(FIRST_YEAR, month + 1, 1) };
}

function stampOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
}

/** The wall times of the start and of the excluded dates, as if they were UTC. */
function wallsOf({ start, exDays = [] }: Rule): { readonly wall: number; readonly excluded: readonly number[] } {
  const wall = Date.UTC(Number(start.slice(0, 4)), Number(start.slice(4, 6)) - 1, Number(start.slice(6)), 19);
  return { wall, excluded: exDays.map((day) => wall + day * DAY_MS) };
}

/** The function that lists windows of a series. */
function ours(rule: Rule): ListStarts {
  const zone = ianaZone(ZONE_NAME);
  if (zone === undefined) throw new Error(`no time zone ${ZONE_NAME}`);
  const read = readRrule(rule.rrule, zone);
  if (Array.isArray(read)) throw new Error(read[0]?.message);
  const { wall, excluded } = wallsOf(rule);
  const exDates = excluded.map((at) => localInBerlin(at));
  const startsAt = localInBerlin(wall);
  const recurrence = fullRecurrence({ ...read, exDates });
  // Each list reads its series from the database: no list finds the dates that another one has computed.
  const stored = (): Series => ({
    startsAt,
    endsAt: startsAt + HOUR_MS,
    recurrence: { ...recurrence },
    clock: [{ zone, since: 0 }],
  });
  return (window) => occurrencesStarting(stored(), window, MAX_OCCURRENCES).map((occurrence) => occurrence.startsAt);
}

/** 19:00 exists once on each day in Berlin. */
function localInBerlin(wall: number): number {
  const shown = new Intl.DateTimeFormat("en-GB", { timeZone: ZONE_NAME, hour: "2-digit", hourCycle: "h23" });
  const offset = Number(shown.format(wall)) - 19;
  return wall - ((offset + 24) % 24) * HOUR_MS;
}

/** rrule-temporal, built for each window: it keeps the dates that it has computed. */
function temporal(rule: Rule): ListStarts {
  const { wall, excluded } = wallsOf(rule);
  const exDates = excluded.length === 0 ? "" : `\nEXDATE;TZID=${ZONE_NAME}:${excluded.map(stampOf).join(",")}`;
  const rruleString = `DTSTART;TZID=${ZONE_NAME}:${stampOf(wall)}\nRRULE:${rule.rrule}${exDates}`;
  return ({ from, until }) =>
    new RRuleTemporal({ rruleString, maxIterations: 100_000 })
      .between(new Date(from), new Date(until - 1), true)
      .map(({ epochMilliseconds }) => epochMilliseconds);
}

/** rrule on the wall clock, without its cache. */
function rrule(rule: Rule): ListStarts {
  const { wall, excluded } = wallsOf(rule);
  const set = new RRuleSet(true);
  set.rrule(new RRule({ ...RRule.parseString(rule.rrule), dtstart: new Date(wall) }, true));
  for (const at of excluded) set.exdate(new Date(at));
  return ({ from, until }) => set.between(new Date(from), new Date(until - 1), true).map((date) => date.getTime());
}

const BASELINES = [
  { name: "rrule-temporal built anew", list: temporal, least: 5, windows: 10, isInZone: true },
  { name: "rrule", list: rrule, least: 100, windows: 10, isInZone: false },
] as const;
/** Windows of ours in a round. */
const WINDOWS = 4_000;

/** Compares the windows of rules with those of other libraries, by the processor time of a window. */
export const RULE_WINDOWS: Section = {
  name: NAME,
  heading: "calendar",
  rowNames: RULES.map(({ name }) => name),
  hasServerCpu: false,

  async measure({ pace: { rounds }, isChosen }) {
    const rows: TableRow[] = [];
    for (const rule of RULES.filter(({ name }) => isChosen(name))) {
      for (const baseline of BASELINES) rows.push(compare(rule, baseline, rounds));
    }
    return { rows, figures: rows };
  },
};

function compare(
  rule: Rule,
  { name, list, least, windows, isInZone }: (typeof BASELINES)[number],
  rounds: number,
): TableRow {
  const [mine, theirs] = [ours(rule), list(rule)];
  for (const month of MONTHS.slice(0, windows))
    assertSame(rule, mine(monthWindow(month)), theirs(monthWindow(month)), isInZone);
  const measured: { readonly mine: number; readonly theirs: number }[] = [];
  // A round before the first is not counted: V8 compiles during it.
  for (let round = -1; round < rounds; round += 1) {
    const times = { theirs: microseconds(theirs, windows), mine: microseconds(mine, WINDOWS) };
    if (round >= 0) measured.push(times);
  }
  const last = measured.at(-1) ?? { mine: Number.NaN, theirs: Number.NaN };
  return medianRow({
    row: `${NAME}: ${rule.name}`,
    figure: `windows ÷ ${name}`,
    unit: "",
    bound: { least },
    rounds: measured.map((each) => each.theirs / each.mine),
    detail: `${last.mine.toFixed(1)} : ${last.theirs.toFixed(0)} µs`,
  });
}

/** The same starts; those of a library without time zones are on the wall clock, an hour or two later. */
function assertSame({ name }: Rule, mine: readonly number[], theirs: readonly number[], isInZone: boolean): void {
  const daysOf = (starts: readonly number[]) => starts.map((at) => (isInZone ? at : Math.floor(at / DAY_MS))).join(" ");
  if (daysOf(mine) !== daysOf(theirs)) throw new Error(`${name}: other starts`);
}

/** The processor time of a window, which other programs on the machine disturb little. */
function microseconds(list: ListStarts, windows: number): number {
  const before = process.cpuUsage();
  for (let at = 0; at < windows; at += 1) list(monthWindow(MONTHS[at % MONTHS.length] ?? 0));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / windows;
}
