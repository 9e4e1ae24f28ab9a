import {
  type ClockChange,
  clockBetween,
  midnight,
  weekdayOf,
  type YearlyChange,
  type ZoneRules,
} from "./zone-rules.ts";

const DAY_MS = 86_400_000;
/** Last year of the packed data. The data of a zone end later if single years until then differ. */
const LAST_YEAR = 2037;
/** Number of years in which a weekday falls on each of its seven dates in a month. */
const YEARS = 11;
/** Number of those years that must have the change: a zone may pause it in the others. */
const MIN_YEARS_WITH_CHANGE = 8;

/**
 * Derives the changes of each year after the packed data from the last eleven years: those on one weekday within
 * seven days, at one time of day. Empty if the last year of the data has no change.
 */
export function deriveYearlyChanges(rules: ZoneRules): readonly YearlyChange[] {
  const lastYear = new Date(rules.changes.at(-1)?.at ?? 0).getUTCFullYear();
  if (lastYear < LAST_YEAR) return [];
  const { changes } = clockBetween(rules, Date.UTC(lastYear - YEARS + 1, 0, 1), Date.UTC(lastYear + 1, 0, 1));
  const similar = Map.groupBy(changes.map(positionOf), ({ weekday, time, before, offset }) =>
    [weekday, time, before, offset].join(" "),
  );
  return [...similar.values()].flatMap(yearlyChangesOf);
}

interface YearPosition extends Required<Omit<YearlyChange, "month" | "day">> {
  /** Days since 1 March: from there on all years are the same. */
  readonly sinceMarch: number;
}

/** The position of a change in its year, on the clock before the change. */
function positionOf({ at, before, after }: ClockChange): YearPosition {
  const wall = at + before;
  const day = Math.floor(wall / DAY_MS);
  const march = midnight(new Date(wall).getUTCFullYear(), 3, 0);
  return {
    sinceMarch: day - march / DAY_MS,
    weekday: weekdayOf(day * DAY_MS),
    time: wall - day * DAY_MS,
    before,
    offset: after,
  };
}

function yearlyChangesOf(positions: readonly YearPosition[]): YearlyChange[] {
  const days = [...new Set(positions.map(({ sinceMarch }) => sinceMarch))].sort((one, other) => one - other);
  const countInWeekFrom = (day: number) => positions.filter(({ sinceMarch: at }) => at >= day && at < day + 7).length;
  const best = Math.max(...days.map(countInWeekFrom));
  const first = days.find((day) => countInWeekFrom(day) === best);
  const [one] = positions;
  if (first === undefined || one === undefined || best < MIN_YEARS_WITH_CHANGE) return [];
  const { weekday, time, before, offset } = one;
  return [{ month: 3, day: first, weekday, time, before, offset }];
}
