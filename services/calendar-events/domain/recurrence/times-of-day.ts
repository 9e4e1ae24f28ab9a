import type { Recurrence } from "../../../contracts/recurrence.ts";
import type { WallMs } from "../calendar/local-to-instant.ts";
import { DAY_MS } from "./civil-days.ts";

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];

/** Whether a rule chooses times of day. A rule that does not has the time of its start. */
export function hasTimes({ byHour, byMinute, bySecond }: Recurrence): boolean {
  return (byHour ?? byMinute ?? bySecond) !== undefined;
}

/** The number of times of day of a rule; at most MAX_TIMES_OF_DAY in a valid one. */
export function numberOfTimes({ byHour = [], byMinute = [], bySecond = [] }: Recurrence): number {
  return [byHour, byMinute, bySecond].reduce((number, { length }) => number * Math.max(1, length), 1);
}

/**
 * The times of day of a rule that starts at a wall time, in milliseconds from midnight, in order. They have the milliseconds of
 * the start, and its hour, minute or second if the rule chooses none.
 */
export function timesOfDay(recurrence: Recurrence, start: WallMs): readonly number[] {
  const ofStart = start - Math.floor(start / DAY_MS) * DAY_MS;
  if (!hasTimes(recurrence)) return [ofStart];
  const {
    byHour = [Math.floor(ofStart / HOUR_MS)],
    byMinute = [Math.floor(ofStart / MINUTE_MS) % 60],
    bySecond = [Math.floor(ofStart / SECOND_MS) % 60],
  } = recurrence;
  const milliseconds = ofStart % SECOND_MS;
  return byHour.flatMap((hour) =>
    byMinute.flatMap((minute) =>
      bySecond.map((second) => hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + milliseconds),
    ),
  );
}
