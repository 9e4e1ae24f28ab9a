import type { EpochMs } from "../../../contracts/ids.ts";
import { occurrencesStarting, type Series } from "./occurrences.ts";

/**
 * A change of the rules of a zone moves its clock by an hour, rarely by two or three. Dates of a rule are further
 * apart, if it has no times of day.
 */
const MAX_RULE_MOVE_MS = 3 * 3_600_000;

/**
 * The new original start of an occurrence after a change of the zone's rules: the only date of the series within
 * three hours of it, EXDATEs ignored. Undefined if the start itself is a date, or if there is no such date or more
 * than one.
 */
export function originalUnderNewRules(series: Series, original: EpochMs): EpochMs | undefined {
  const range = { from: original - MAX_RULE_MOVE_MS, until: original + MAX_RULE_MOVE_MS + 1 };
  const { exDates: _, ...recurrence } = series.recurrence;
  const near = occurrencesStarting({ ...series, recurrence }, range, 2);
  return near.length === 1 && near[0]?.original !== original ? near[0]?.original : undefined;
}
