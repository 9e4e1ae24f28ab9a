import type { EpochMs } from "../../../contracts/ids.ts";
import { localToInstant, type WallMs } from "../calendar/local-to-instant.ts";
import type { Zone } from "../calendar/zone.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import {
  occurrencesStarting,
  ruleOccurrenceAt,
  type RuleOccurrence,
  type Series,
  startWallOf,
} from "../recurrence/occurrences.ts";

/**
 * A value of EXDATE, RDATE or RECURRENCE-ID: an instant, or the number of a day. A day means its occurrence, whose time
 * depends on the series: on its time of day, and on the zone in which it was set.
 */
export type ImportedInstant = { readonly at: EpochMs } | { readonly day: number };

/** An occurrence of a series: by its present start, by its day, or by its original start, as in its id. */
export type OccurrenceKey = ImportedInstant | { readonly original: EpochMs };

/** The start of a series on its wall clock. */
export interface WallStart {
  readonly wall: WallMs;
  readonly zone: Zone;
}

/** The instant of a key by the rule. */
export function instantOf(key: OccurrenceKey, { wall, zone }: WallStart): EpochMs {
  if ("at" in key) return key.at;
  if ("original" in key) return key.original;
  return localToInstant(key.day * DAY_MS + wall - Math.floor(wall / DAY_MS) * DAY_MS, zone);
}

/** The occurrence of a key; undefined if the series has none. A start is to the second, as times of iCalendar are. */
export function occurrenceOf(series: Series, key: OccurrenceKey): RuleOccurrence | undefined {
  if ("at" in key) return occurrencesStarting(series, { from: key.at, until: key.at + 1_000 }, 1)[0];
  return ruleOccurrenceAt(series, instantOf(key, { wall: startWallOf(series), zone: series.clock[0].zone }));
}
