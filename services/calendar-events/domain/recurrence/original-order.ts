import type { EpochMs } from "../../../contracts/ids.ts";
import { MAX_RULE_DATES, MAX_TIMES_OF_DAY } from "../../../contracts/recurrence.ts";
import type { CalendarClock } from "../calendar/calendar-clock.ts";
import { instantToLocal, localToInstant, type WallMs } from "../calendar/local-to-instant.ts";
import type { Zone } from "../calendar/zone.ts";

/** An occurrence with its original start, and its wall time by the rule. */
interface Dated {
  readonly original: EpochMs;
  readonly wall: WallMs;
}

/** The start of a series, and its clock. */
interface Begun {
  readonly startsAt: EpochMs;
  readonly clock: CalendarClock;
}

/**
 * The original start of the date at a wall time, in a series that starts at the wall time `start`. The first date has the given
 * start, also if its wall time occurs twice.
 */
export function originalOf({ startsAt, clock }: Begun, start: WallMs, wall: WallMs): EpochMs {
  if (wall === start) return startsAt;
  const original = localToInstant(wall, clock[0].zone);
  // The start was given as the later one of an hour that occurs twice: the later times of day in that hour follow it.
  return original < startsAt ? startsAt + wall - start : original;
}

/**
 * Largest number of occurrences of a series that start out of order: a new time zone, and a clock change in it, can move the
 * occurrences of three days past each other, and any of the RDATEs.
 */
export const MAX_OUT_OF_ORDER = 3 * MAX_TIMES_OF_DAY + MAX_RULE_DATES;

/**
 * Sorts occurrences, which are read in the order of their wall times, by their original starts. A time in the gap of a clock change
 * moves forward, past other times of that day; of two at one instant the one with the earlier wall time is first.
 */
export function inOriginalOrder<Occurrence extends Dated>(
  next: () => Occurrence | undefined,
  zone: Zone,
): () => Occurrence | undefined {
  let held: Occurrence[] = [];
  let following = next();
  return () => {
    while (following !== undefined && earliestFrom(following, zone) < (held[0]?.original ?? Infinity)) {
      held = [...held, following].sort((one, other) => one.original - other.original);
      following = next();
    }
    return held.shift();
  };
}

/** The earliest original start that this occurrence, or one with a later wall time, can have: the gap's end for a time in the gap. */
function earliestFrom({ original, wall }: Dated, zone: Zone): EpochMs {
  if (instantToLocal(original, zone) === wall) return original;
  return zone.spanAround(original).changes.findLast(({ at }) => at <= original)?.at ?? original;
}
