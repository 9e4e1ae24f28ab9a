import type { Recurrence } from "../../../services/contracts/recurrence.ts";

/** The parts of a rule by which programs differ, without their values. */
export function partsOf({
  frequency,
  interval,
  count,
  byDay,
  byMonthDay,
  byMonth,
  bySetPos,
  until,
}: Recurrence): string {
  return [
    frequency,
    ...(interval > 1 ? ["INTERVAL"] : []),
    ...(byMonth === undefined ? [] : ["BYMONTH"]),
    ...(byMonthDay === undefined ? [] : [byMonthDay.some((day) => day < 0) ? "BYMONTHDAY(-n)" : "BYMONTHDAY"]),
    ...(byDay === undefined ? [] : [byDay.some((day) => day.length > 2) ? "BYDAY(n)" : "BYDAY"]),
    ...(bySetPos === undefined ? [] : ["BYSETPOS"]),
    ...(count === -1 ? [] : ["COUNT"]),
    ...(until === undefined ? [] : ["UNTIL"]),
  ].join(" ");
}
