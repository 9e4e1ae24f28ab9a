import type { EpochMs } from "../../../contracts/ids.ts";
import { MAX_OCCURRENCES, type Recurrence } from "../../../contracts/recurrence.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { ruleOccurrenceAt, type RuleOccurrence, type Series, startWallOf } from "./occurrences.ts";
import { datesOf } from "./rule-dates.ts";

/** The dates of a rule that were counted so far. */
interface CountedDates {
  readonly start: WallMs;
  /** All dates before this wall time are counted. */
  readonly until: WallMs;
  readonly count: number;
}

/** The last count of each rule: the occurrences of a list are in order, and each would count all dates before it. */
const counts = new WeakMap<Recurrence, CountedDates>();
const additions = new WeakMap<Recurrence, { readonly start: WallMs; readonly dates: readonly EpochMs[] }>();

/**
 * The number of an occurrence in its series, from 1, as COUNT of RFC 5545 counts: cancelled dates count, and a moved occurrence
 * keeps its number. Undefined beyond 10 000, so that no read counts longer.
 */
export function occurrenceNumber(series: Series, { original, wall }: RuleOccurrence): number | undefined {
  const ofRule = datesBefore(series, wall);
  if (ofRule >= MAX_OCCURRENCES) return undefined;
  const number = ofRule + addedDates(series).filter((at) => at < original).length + 1;
  return number > MAX_OCCURRENCES ? undefined : number;
}

/** The number of dates of the rule before a wall time; at most 10 000. */
function datesBefore({ recurrence, ...series }: Series, wall: WallMs): number {
  const start = startWallOf({ recurrence, ...series });
  const known = counts.get(recurrence);
  const isUsable = known !== undefined && known.start === start && known.until <= wall;
  const from = isUsable ? known.until : start;
  let count = isUsable ? known.count : 0;
  let until = wall;
  const next = datesOf(recurrence, start, series.lastWall).read(from, wall);
  for (let date = next(); date !== undefined && count < MAX_OCCURRENCES; date = next()) {
    if (date < from) continue;
    count += 1;
    if (count === MAX_OCCURRENCES) until = date + 1;
  }
  if (!isUsable || known.count < MAX_OCCURRENCES) counts.set(recurrence, { start, until, count });
  return count;
}

/** The RDATEs that are no dates of the rule. */
function addedDates(series: Series): readonly EpochMs[] {
  const { rDates, exDates: _, ...rule } = series.recurrence;
  if (rDates === undefined) return [];
  const start = startWallOf(series);
  const known = additions.get(series.recurrence);
  if (known?.start === start) return known.dates;
  const dates = rDates.filter((at) => ruleOccurrenceAt({ ...series, recurrence: rule }, at) === undefined);
  additions.set(series.recurrence, { start, dates });
  return dates;
}
