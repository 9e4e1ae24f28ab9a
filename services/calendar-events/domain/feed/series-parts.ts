import { type EpochMs, LAST_EPOCH_MS } from "../../../contracts/ids.ts";
import type { Recurrence } from "../../../contracts/recurrence.ts";
import { type Calendar, zoneOf } from "../calendar/calendar.ts";
import { movedByZone } from "../calendar/calendar-clock.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import { type Recurring, seriesOf, type ListedEvent } from "../event/event.ts";
import { instantToLocal, localToInstant, type WallMs } from "../calendar/local-to-instant.ts";
import {
  eachOccurrenceStarting,
  firstRuleOccurrence,
  movedInstant,
  occurrencesStarting,
  ruleOccurrenceAt,
  type RuleOccurrence,
  type Series,
  startWallOf,
} from "../recurrence/occurrences.ts";
import { writeRrule } from "../recurrence/rrule-text.ts";
import { datesOf } from "../recurrence/rule-dates.ts";
import { timesOfDay } from "../recurrence/times-of-day.ts";
import type { Zone } from "../calendar/zone.ts";
import { dateStamp } from "./date-time.ts";

/**
 * The part of a series that one VEVENT can express: its occurrences in one of the zones that its calendar had. Nearly every series has one
 * part. Exceptions and additions are not considered.
 */
export interface SeriesPart {
  readonly uid: string;
  readonly zone: Zone;
  /** Wall time of the first occurrence by the rule. If it occurs twice, the first occurrence may be the later instant. */
  readonly wall: WallMs;
  readonly first: RuleOccurrence;
  readonly rrule: string;
  /** Original start of the first occurrence; `until` is exclusive. */
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** An event that recurs. */
export type RecurringEvent = ListedEvent & { readonly recurring: Recurring };

const SECOND_MS = 1_000;

/** The parts of a series, in order. */
export function partsOf(event: RecurringEvent, calendar: Calendar): SeriesPart[] {
  const series = ruleOf(event, calendar);
  return event.allDay === undefined ? partsByZone(event, series) : [partOfDates(event, series)];
}

/** Dates have no zone: a series of them is one part, whatever the zones of its calendar. */
function partOfDates({ id }: RecurringEvent, series: Series): SeriesPart {
  const { zone } = series.clock[0];
  return {
    uid: id,
    zone,
    wall: startWallOf(series),
    first: firstRuleOccurrence(series),
    rrule: writeRrule(series.recurrence, (until) => dateStamp(instantToLocal(until, zone))),
    from: 0,
    until: LAST_EPOCH_MS + 1,
  };
}

function partsByZone(event: RecurringEvent, series: Series): SeriesPart[] {
  const { clock } = series;
  const firsts = clock.map((_, era) => (era === 0 ? firstRuleOccurrence(series) : firstInEra(series, era)));
  const begun = firsts.flatMap((first, era) => {
    const next = firsts[era + 1];
    const isEmpty = first === undefined || next?.original === first.original;
    return isEmpty ? [] : [{ era, first }];
  });
  return begun.map(({ era, first }, place) => {
    const next = begun[place + 1];
    const zone = clock[era]?.zone ?? clock[0].zone;
    const isOnly = begun.length === 1;
    const end = next === undefined ? undefined : localToInstant(next.first.wall, zone) - SECOND_MS;
    return {
      uid: next === undefined ? event.id : `${event.id}-${event.recurring.anchor.version + era}`,
      zone,
      wall: first.wall,
      first,
      rrule: writeRrule(ruleOfPart(series, { era, isOnly, end })),
      from: place === 0 ? 0 : first.original,
      until: next?.first.original ?? LAST_EPOCH_MS + 1,
    };
  });
}

/** The series without exceptions and additions. */
function ruleOf(event: RecurringEvent, calendar: Calendar): Series {
  const { exDates: _, rDates: __, ...recurrence } = event.recurring.recurrence;
  // An event that recurs is always a series.
  return seriesOf({ ...event, recurring: { ...event.recurring, recurrence } }, calendar) as Series;
}

/** Maximum distance that a change of the zone moves an occurrence. */
const FURTHEST_MOVE_MS = 26 * 3_600_000;

/** The first occurrence that this zone, or a later one, has moved. */
function firstInEra(series: Series, era: number): RuleOccurrence | undefined {
  const since = series.clock[era]?.since ?? 0;
  const around = { from: since - FURTHEST_MOVE_MS, until: LAST_EPOCH_MS + 1 };
  for (const occurrence of eachOccurrenceStarting(series, around, Infinity)) {
    if ((occurrence.movedAt ?? -1) >= since) return occurrence;
  }
  return undefined;
}

interface PartOfRule {
  readonly era: number;
  readonly isOnly: boolean;
  /** Before the first occurrence of the next part, by the zone of this one; undefined for the last part. */
  readonly end: EpochMs | undefined;
}

/** The rule of a part. One of several parts has no COUNT, since the occurrences of other parts count, too. */
function ruleOfPart(series: Series, { era, isOnly, end }: PartOfRule): Recurrence {
  const { recurrence, clock } = series;
  if (end !== undefined) return { ...recurrence, count: -1, until: end };
  const { until } = recurrence;
  if (until !== undefined) return era === 0 ? recurrence : { ...recurrence, until: movedInstant(until, clock).at };
  return isOnly || recurrence.count === -1 ? recurrence : { ...recurrence, count: -1, until: lastStart(series) };
}

/** Start of the last occurrence of a rule with a count. */
function lastStart(series: Series): EpochMs {
  const { recurrence, clock } = series;
  const zone = clock[0].zone;
  const start = startWallOf(series);
  const last = datesOf(recurrence, start, series.lastWall).last() ?? start;
  const original = localToInstant(last, zone);
  return movedByZone(clock, last, original)?.at ?? original;
}

/**
 * The wall time at which the rule has the occurrence with this original start. It differs from the clock if the rule's wall
 * time did not exist and was moved forward.
 */
export function wallOfRule({ startWall, startsAt, recurrence, zone }: RuleStart, original: EpochMs): WallMs {
  const times = timesOfDay(recurrence, startWall ?? instantToLocal(startsAt, zone));
  const isRegular = (wall: WallMs) => times.some((time) => (wall - time) % DAY_MS === 0);
  const wall = instantToLocal(original, zone);
  if (isRegular(wall)) return wall;
  const before = original + offsetBefore(original, zone);
  return isRegular(before) ? before : wall;
}

/** The start and the rule of a series, and the zone in which it was set. */
interface RuleStart {
  readonly startsAt: EpochMs;
  readonly startWall?: WallMs | undefined;
  readonly recurrence: Recurrence;
  readonly zone: Zone;
}

/** The offset before the last change of the clock. */
function offsetBefore(at: EpochMs, zone: Zone): number {
  const { first, changes } = zone.spanAround(at);
  return changes.findLast((change) => change.at <= at)?.before ?? first;
}

/** Whether readers would take the start for another instant: its wall time occurs twice, and the start is the later one. */
function isLaterOfTwo({ startsAt, recurring, allDay }: RecurringEvent): boolean {
  if (allDay !== undefined || recurring.startWall !== undefined) return false;
  const zone = zoneOf(recurring.anchor);
  return localToInstant(instantToLocal(startsAt, zone), zone) !== startsAt;
}

/**
 * The original starts that readers would take for other instants: the start, if its wall time occurs twice and it is the later one,
 * and the later times of day in that hour.
 */
export function misreadStarts(event: RecurringEvent, calendar: Calendar): EpochMs[] {
  if (!isLaterOfTwo(event)) return [];
  const { clock, ...rule } = ruleOf(event, calendar);
  const window = { from: event.startsAt, until: event.startsAt + DAY_MS };
  const starts = occurrencesStarting({ ...rule, clock: [clock[0]] }, window, Infinity);
  return starts
    .filter(({ wall, original }) => localToInstant(wall, clock[0].zone) !== original)
    .map((each) => each.original);
}

/** The additions of a series at which its rule has no occurrence. */
export function additionsOf(event: RecurringEvent, calendar: Calendar): EpochMs[] {
  const { rDates = [] } = event.recurring.recurrence;
  if (rDates.length === 0) return [];
  const rule = ruleOf(event, calendar);
  return rDates.filter((at) => ruleOccurrenceAt(rule, at) === undefined);
}
