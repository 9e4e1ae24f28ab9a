import type { YearlyChange } from "./zone-rules.ts";

const NAME = String.raw`(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]+>)`;
const TIME = String.raw`[+-]?\d{1,3}(?::\d\d){0,2}`;
const ZONE = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?,([^,]+),([^,]+))?$`);
const CHANGE = new RegExp(String.raw`^(?:M(\d{1,2})\.([1-5])\.([0-6])|J(\d{1,3})|(\d{1,3}))(?:/(${TIME}))?$`);

/**
 * Parses the yearly changes of a TZ string such as `EST5EDT,M3.2.0,M11.1.0` (RFC 9636, section 3.3.1; POSIX.1,
 * section 8.3). Empty for a string without changes and for the empty string; undefined for an invalid one.
 */
export function parsePosixRule(text: string): readonly YearlyChange[] | undefined {
  if (text === "") return [];
  const [, standardText, summerText, start, end] = ZONE.exec(text) ?? [];
  if (standardText === undefined) return undefined;
  if (start === undefined || end === undefined) return [];
  const standard = -msOf(standardText);
  const summer = summerText === undefined ? standard + 3_600_000 : -msOf(summerText);
  const changes = [changeOf(start, standard, summer), changeOf(end, summer, standard)];
  return changes.includes(undefined) ? undefined : changes.filter((change) => change !== undefined);
}

function changeOf(text: string, before: number, offset: number): YearlyChange | undefined {
  const [, month, week, weekday, julian, day, time = "2"] = CHANGE.exec(text) ?? [];
  const then = { time: msOf(time), before, offset };
  if (month !== undefined) return { ...weekIn(Number(month), Number(week)), weekday: Number(weekday), ...then };
  if (julian !== undefined) return { ...dayWithoutLeapDay(Number(julian)), ...then };
  return day === undefined ? undefined : { month: 1, day: Number(day), ...then };
}

/** Week 5 is the last week of the month. */
function weekIn(month: number, week: number): Pick<YearlyChange, "month" | "day"> {
  return week === 5 ? { month: month + 1, day: -7 } : { month, day: 7 * (week - 1) };
}

/** The position of the day `julian` of a year, counted from 1 without 29 February (`Jn` of POSIX). */
function dayWithoutLeapDay(julian: number): Pick<YearlyChange, "month" | "day"> {
  const date = new Date(Date.UTC(2001, 0, julian));
  return { month: date.getUTCMonth() + 1, day: date.getUTCDate() - 1 };
}

function msOf(text: string): number {
  const [hours = "0", minutes = "0", seconds = "0"] = text.replace(/^[+-]/, "").split(":");
  const length = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return text.startsWith("-") ? -length : length;
}
