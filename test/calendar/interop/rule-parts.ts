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

/** Rules that a library expands otherwise than RFC 5545 has it, and otherwise than the other library does. */
export const KNOWN_DEFECTS: Readonly<Record<"dateutil" | "libical", (rule: Recurrence) => boolean>> = {
  /** Days with and without numbers in one BYDAY: dateutil keeps only dates that are both. */
  dateutil: ({ byDay = [] }) => byDay.some((day) => day.length > 2) && byDay.some((day) => day.length === 2),
  /** Negative BYMONTHDAY in a daily or yearly rule. */
  libical: ({ frequency, byMonthDay = [] }) =>
    (frequency === "DAILY" || frequency === "YEARLY") && byMonthDay.some((day) => day < 0),
};
