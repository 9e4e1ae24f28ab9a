import { localToInstant } from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import type { Series } from "../../services/calendar-events/domain/recurrence/occurrences.ts";
import { datesOf, isDateOfRule } from "../../services/calendar-events/domain/recurrence/rule-dates.ts";
import { weekOf } from "../../services/calendar-events/domain/recurrence/day-periods.ts";
import type { Recurrence } from "../../services/contracts/recurrence.ts";
import { DAY } from "./any-series.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** The wall times of a rule until a day, by enumeration of all days from the first period on. */
export function enumerated({ recurrence }: Series, start: number, lastDay: number): number[] {
  const { byHour, byMinute, bySecond, bySetPos, count, ...days } = recurrence;
  const startDay = Math.floor(start / DAY);
  const time = new Date(start);
  const times = (byHour ?? [time.getUTCHours()]).flatMap((hour) =>
    (byMinute ?? [time.getUTCMinutes()]).flatMap((minute) =>
      (bySecond ?? [time.getUTCSeconds()]).map((second) => hour * HOUR + minute * MINUTE + second * 1_000),
    ),
  );
  const sets = new Map<number, number[]>();
  const isDay = dayCheck({ ...days, count: -1 }, startDay);
  for (let day = startDay - 366; day <= lastDay + 366; day += 1) {
    if (!isDay(day)) continue;
    const period = periodOf(recurrence, day);
    sets.set(period, [...(sets.get(period) ?? []), ...times.map((each) => day * DAY + each)]);
  }
  const chosen = [...sets.values()].flatMap((set) =>
    bySetPos === undefined
      ? set
      : set.filter((_, at) => bySetPos.some((nth) => nth === at + 1 || nth === at - set.length)),
  );
  const dates = [start, ...chosen.filter((wall) => wall > start)];
  return (count === -1 ? dates : dates.slice(0, count)).filter((wall) => wall < (lastDay + 1) * DAY);
}

/** Whether a rule of days has a date there, also before its start, which is one of its dates. */
function dayCheck(days: Recurrence, startDay: number): (day: number) => boolean {
  // A start that is a whole number of intervals, and of years, earlier has the same dates.
  const periods = { DAILY: days.interval, WEEKLY: 7 * days.interval, MONTHLY: 0, YEARLY: 0 }[days.frequency];
  const from = periods === 0 ? startDay : startDay - Math.ceil(400 / periods) * periods;
  const known = new Set<number>();
  if (periods !== 0) {
    const next = datesOf(withDays(days, startDay), from * DAY).read(from * DAY + 1, (startDay + 4_000) * DAY);
    for (let wall = next(); wall !== undefined; wall = next()) known.add(wall / DAY);
    return (day) => known.has(day);
  }
  const monthOf = (day: number) => new Date(day * DAY).getUTCFullYear() * 12 + new Date(day * DAY).getUTCMonth();
  const size = days.frequency === "YEARLY" ? 12 : 1;
  const isOfInterval = (day: number) =>
    (Math.floor(monthOf(day) / size) - Math.floor(monthOf(startDay) / size)) % days.interval === 0;
  const every = { ...withDays(days, startDay), interval: 1 };
  return (day) => isOfInterval(day) && isDateOfRule(every, day * DAY);
}

/** The rule with the parts that it takes from its start. */
function withDays(days: Recurrence, startDay: number): Recurrence {
  const date = new Date(startDay * DAY);
  if ((days.byDay ?? days.byMonthDay) !== undefined || days.frequency === "DAILY") return days;
  if (days.frequency === "WEEKLY")
    return { ...days, byDay: [["SU", "MO", "TU", "WE", "TH", "FR", "SA"][date.getUTCDay()]!] };
  const byMonthDay = [date.getUTCDate()];
  if (days.frequency === "MONTHLY") return { ...days, byMonthDay };
  return { ...days, byMonthDay, byMonth: days.byMonth ?? [date.getUTCMonth() + 1] };
}

function periodOf({ frequency, weekStart }: Recurrence, day: number): number {
  const date = new Date(day * DAY);
  switch (frequency) {
    case "DAILY":
      return day;
    case "WEEKLY":
      return weekOf(day, weekStart);
    case "MONTHLY":
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    case "YEARLY":
      return date.getUTCFullYear();
  }
}

/** The original starts until an instant, by enumeration: each once, in order, up to UNTIL. */
export function enumeratedStarts(of: Series, start: number, until: number): number[] {
  const place = of.clock[0].zone;
  const originals = enumerated(of, start, Math.ceil(until / DAY) + 3).map((wall) => {
    const at = wall === start ? of.startsAt : localToInstant(wall, place);
    return at < of.startsAt ? of.startsAt + wall - start : at;
  });
  const end = of.recurrence.until ?? Infinity;
  const inOrder = [...new Set(originals)].filter((at) => Math.floor(at / 1_000) <= Math.floor(end / 1_000));
  return inOrder.toSorted((one, other) => one - other).filter((at) => at < until);
}
