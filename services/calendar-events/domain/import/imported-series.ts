import type { ChangeReason, SkipReason } from "../../../contracts/event-import.contract.ts";
import { isRefusal, type Refusal } from "../../../contracts/errors.ts";
import { type EpochMs, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import { MAX_RULE_DATES, type Recurrence } from "../../../contracts/recurrence.ts";
import { wallOfDay } from "../calendar/days.ts";
import { instantToLocal, localToInstant } from "../calendar/local-to-instant.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import type { Zone } from "../calendar/zone.ts";
import {
  hasOccurrence,
  hasSecondOccurrence,
  ruleOccurrenceAt,
  type Series,
  startWallOf,
} from "../recurrence/occurrences.ts";
import { fullRecurrence, parseRecurrence } from "../recurrence/parse-recurrence.ts";
import { datesOf, isDateOfRule } from "../recurrence/rule-dates.ts";
import { hasTimes, numberOfTimes, timesOfDay } from "../recurrence/times-of-day.ts";
import type { ImportedDates, ImportedEvent } from "./imported-event.ts";
import { instantOf, type OccurrenceKey } from "./imported-instant.ts";
import { type ImportedTimes, timesInZone } from "./imported-times.ts";

/** A series as it is stored: the times of its first occurrence, and its rule. */
export interface ImportedSeries extends ImportedTimes {
  readonly recurrence: Recurrence;
  /** EXDATEs beyond those that a rule may have; each cancels its occurrence. */
  readonly cancelled: readonly EpochMs[];
  readonly changes: readonly ChangeReason[];
}

/** A VEVENT with dates. */
type Recurring = ImportedEvent & { readonly dates: ImportedDates };

/**
 * The series of a VEVENT. If its start is no date of its rule, or before 1970, the series begins at the next date. EXDATEs
 * at which it has no occurrence have no effect. `kept` are the EXDATEs that do not count: an override has that occurrence.
 */
export function importedSeries(event: Recurring, kept: readonly OccurrenceKey[]): ImportedSeries | SkipReason {
  const { zone, dates, start } = event;
  const rule = readRule(event);
  if (typeof rule === "string") return rule;
  const times = firstTimes(event, rule);
  if (typeof times === "string") return times;
  const isMoved = times.startsAt !== event.startsAt;
  const instantsOf = (keys: readonly OccurrenceKey[]) =>
    keys.map((key) => instantOf(key, { wall: start.value.wall, zone }));
  // A series of dates cannot have an addition with a time.
  const dated = dates.rDates.filter((date) => times.days === undefined || "day" in date);
  const additions = instantsOf(dated);
  const rDates = additions.filter((at) => at > times.startsAt && at <= LAST_EPOCH_MS);
  const areDropped = dated.length < dates.rDates.length || additions.some((at) => at < times.startsAt);
  if (new Set(rDates).size > MAX_RULE_DATES) return "TOO_MANY_EXCEPTIONS";
  const series = seriesWith(times, fullRecurrence({ ...rule, rDates }), zone);
  if (rule.until !== undefined && rule.until < times.startsAt) return "NO_OCCURRENCE";
  const { until: _, ...once } = series.recurrence;
  // A rule with one date gets the count 1: a rule without a second date is refused otherwise (`seriesRefusal`).
  const hasOneDate = rule.count !== 1 && !hasSecondOccurrence(series);
  const counted = hasOneDate ? seriesWith(times, fullRecurrence({ ...once, count: 1 }), zone) : series;
  const overridden = new Set(instantsOf(kept));
  if (numberExcluded(dates.exDates, rule) > MAX_EXCLUDED) return "TOO_MANY_EXCEPTIONS";
  const without = [...new Set(dates.exDates.flatMap((key) => excludedInstants(key, counted)))].filter(
    (at) => !overridden.has(at) && isOccurrence(counted, at),
  );
  const inOrder = without.toSorted((one, other) => one - other);
  const exDates = inOrder.slice(0, MAX_RULE_DATES);
  const whole = fullRecurrence({ ...counted.recurrence, exDates });
  if (!hasOccurrence({ ...counted, recurrence: whole })) return "NO_OCCURRENCE";
  return {
    ...times,
    recurrence: whole,
    cancelled: inOrder.slice(MAX_RULE_DATES),
    changes: [...(isMoved ? (["START_MOVED"] as const) : []), ...(areDropped ? (["DATES_DROPPED"] as const) : [])],
  };
}

/** Largest number of occurrences that the EXDATEs of a VEVENT may exclude: each is looked up. EXDATEs with one time each are fewer. */
const MAX_EXCLUDED = 2_500;

/** A day of EXDATE counts once for each time of day of the rule. */
function numberExcluded(exDates: readonly OccurrenceKey[], rule: Recurrence): number {
  const days = exDates.filter((key) => "day" in key).length;
  return exDates.length - days + days * numberOfTimes(rule);
}

/** The instants of an EXDATE. A day excludes all occurrences on it: a rule may have several times of day. */
function excludedInstants(key: OccurrenceKey, series: Series): EpochMs[] {
  const wall = startWallOf(series);
  const zone = series.clock[0].zone;
  if (!("day" in key) || !hasTimes(series.recurrence)) return [instantOf(key, { wall, zone })];
  return timesOfDay(series.recurrence, wall).map((time) => localToInstant(key.day * DAY_MS + time, zone));
}

function seriesWith({ startsAt, endsAt, days }: ImportedTimes, recurrence: Recurrence, zone: Zone): Series {
  const ofDays = days === undefined ? {} : { startWall: wallOfDay(days), days: days.endDay - days.startDay };
  return { startsAt, endsAt, recurrence, clock: [{ zone, since: 0 }], ...ofDays };
}

function isOccurrence(series: Series, at: EpochMs): boolean {
  return at >= series.startsAt && ruleOccurrenceAt(series, at) !== undefined;
}

/** RDATEs without a rule are a rule of one date, and its additions. */
function readRule({ dates: { rrule }, zone, days }: Recurring): Recurrence | SkipReason {
  if (rrule === undefined) return fullRecurrence({ frequency: "DAILY", count: 1 });
  const rule = parseRecurrence({ rrule: days === undefined ? rrule : ruleOfDates(rrule) }, zone);
  return isRefusal(rule) ? refusedRule(rule) : rule;
}

/**
 * In a series of dates UNTIL has to be a date, and times of day have to be ignored (RFC 5545, section 3.3.10). Some programs
 * write the begin or the end of the date of UNTIL in UTC, which is another date on many clocks.
 */
function ruleOfDates(rrule: string): string {
  const parts = rrule.split(";").filter((part) => !/^BY(?:HOUR|MINUTE|SECOND)=/i.test(part));
  return parts.join(";").replace(/(UNTIL=[0-9]{8})T(?:000000|235959)Z/i, "$1");
}

function refusedRule({ problems = [] }: Refusal): SkipReason {
  return problems.some(({ code }) => code === "NOT_ALLOWED") ? "RULE_NOT_SUPPORTED" : "INVALID_RULE";
}

/** Number of EXDATEs that take milliseconds. */
const MANY_EXDATES = 50;
const TIMES_OF_DAY = /BY(?:HOUR|MINUTE|SECOND)=/i;

/**
 * Whether the decision about a VEVENT may take tens of milliseconds: the last date of a rule with a count and BYxxx parts is found
 * by a walk over its dates, and each EXDATE is looked up, one that is a day at each time of day of the rule.
 */
export function isCostly({ dates }: Pick<ImportedEvent, "dates">): boolean {
  if (dates === undefined) return false;
  const { rrule = "", exDates } = dates;
  const hasManyExDates = exDates.length > MANY_EXDATES || (exDates.length > 0 && TIMES_OF_DAY.test(rrule));
  return hasManyExDates || (/COUNT=/i.test(rrule) && /;BY|^BY/i.test(rrule));
}

/** The first occurrence since 1970 that is a date of the rule. */
function firstTimes({ startsAt, endsAt, days, zone, start }: Recurring, rule: Recurrence): ImportedTimes | SkipReason {
  if (endsAt > LAST_EPOCH_MS) return "OUT_OF_RANGE";
  const wall = startsAt === start.at ? start.value.wall : instantToLocal(startsAt, zone);
  const local = start.value.kind === "local" ? instantToLocal(startsAt, zone) : start.value.wall;
  if (startsAt >= 0 && isDateOfRule(rule, local)) return { startsAt, endsAt, days };
  // A count is ambiguous then: programs differ on whether a start that is not a date of the rule counts.
  if (rule.count !== -1) return startsAt < 0 ? "OUT_OF_RANGE" : "INVALID_RULE";
  const next = datesOf(rule, wall).read(Math.max(wall, -DAY_MS), Math.max(wall, 0) + SEARCHED_MS);
  for (let date = next(); date !== undefined; date = next()) {
    const first = localToInstant(date, zone);
    if (first < 0 || first < startsAt || !isDateOfRule(rule, date)) continue;
    if (days === undefined) return { startsAt: first, endsAt: first + endsAt - startsAt, days };
    const startDay = date / DAY_MS;
    return timesInZone({ startDay, endDay: startDay + days.endDay - days.startDay }, zone);
  }
  return "NO_OCCURRENCE";
}

/** The next date is searched within 100 years: a rule with a short interval has one there. */
const SEARCHED_MS = 36_525 * DAY_MS;
