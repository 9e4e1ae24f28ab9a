import { DateTime } from "luxon";
import type { DateText, EpochMs } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { dateText, discordTimestamp, localTime, type TimeStyle } from "./event-times.ts";

const DAY_MS = 86_400_000;

/** The dates of an all-day event, and its instants (D50). */
export interface ShownDates {
  readonly startDate: DateText;
  /** The day after the last day. */
  readonly endDate: DateText;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
}

/** The dates of an occurrence; undefined if it is not all-day. */
export function datesOf({
  startDate,
  endDate,
  startsAt,
  endsAt,
}: Pick<Occurrence, keyof ShownDates>): ShownDates | undefined {
  return startDate === undefined || endDate === undefined ? undefined : { startDate, endDate, startsAt, endsAt };
}

/**
 * The first and the last day, each with a timestamp that Discord shows as a date in the zone of the reader. An event of one
 * day has no last day.
 */
export function dateLines(dates: ShownDates, style: TimeStyle): { first: string; last: string | undefined } {
  const { zoneName } = localTime(dates.startsAt, style.timezone);
  const { first, last } = dayTexts(dates, style);
  const { begins, ends } = timestampsOf(dates);
  return {
    first: `${first} (${zoneName})\n${begins}`,
    last: last === undefined ? undefined : `${last} (${zoneName})\n${ends}`,
  };
}

/** The days in one line, with one date for an event of one day. */
export function dateSpanLine(dates: ShownDates, style: TimeStyle): string {
  const { zoneName } = localTime(dates.startsAt, style.timezone);
  const { first, last } = dayTexts(dates, style);
  const { begins, ends } = timestampsOf(dates);
  return last === undefined
    ? `${first} (${zoneName}) · ${begins}`
    : `${first} – ${last} (${zoneName}) · ${begins} – ${ends}`;
}

/** The number of days of an all-day event; undefined for any other. */
export function lengthInDays(occurrence: Occurrence): number | undefined {
  const dates = datesOf(occurrence);
  return dates && (Date.parse(dates.endDate) - Date.parse(dates.startDate)) / DAY_MS;
}

/** The dates as they were set, whatever the zone. */
export function dayTexts({ startDate, endDate }: ShownDates, { words }: TimeStyle) {
  const first = DateTime.fromISO(startDate, { zone: "UTC" });
  const last = DateTime.fromISO(endDate, { zone: "UTC" }).minus({ days: 1 });
  return { first: dateText(first, words), last: last > first ? dateText(last, words) : undefined };
}

/** Timestamps of the first and the last day. An event ends at the begin of the next day, so one millisecond is subtracted. */
export function timestampsOf({ startsAt, endsAt }: ShownDates) {
  return { begins: discordTimestamp(startsAt, "D"), ends: discordTimestamp(Math.max(startsAt, endsAt - 1), "D") };
}
