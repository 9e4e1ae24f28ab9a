import {
  type ClockChange,
  clockBetween,
  midnight,
  weekdayOf,
  type YearlyChange,
  type ZoneRules,
} from "./zone-rules.ts";

const DAY_MS = 86_400_000;
/** The packed data end with this year; with a later one where single years until then are not like the others. */
const LAST_YEAR = 2037;
/** Within so many years a weekday's date takes each of its seven places in a month. */
const YEARS = 11;
/** So many of them have the change: in others a zone may pause it. */
const MIN_YEARS_WITH_CHANGE = 8;

/**
 * The changes that come back every year after the packed ones, as the last eleven years have them: on one weekday within seven
 * days, at one time of the clock. None where the last year of the data has no change.
 */
export function deriveYearlyChanges(rules: ZoneRules): readonly YearlyChange[] {
  const lastYear = new Date(rules.changes.at(-1)?.at ?? 0).getUTCFullYear();
  if (lastYear < LAST_YEAR) return [];
  const { changes } = clockBetween(rules, Date.UTC(lastYear - YEARS + 1, 0, 1), Date.UTC(lastYear + 1, 0, 1));
  const alike = Map.groupBy(changes.map(placeOf), ({ weekday, time, before, offset }) =>
    [weekday, time, before, offset].join(" "),
  );
  return [...alike.values()].flatMap(yearlyChangesOf);
}

interface Place extends Required<Omit<YearlyChange, "month" | "day">> {
  /** Days from 1 March, after which years are alike. */
  readonly sinceMarch: number;
}

/** Where in its year a change is, on the clock that runs before it. */
function placeOf({ at, before, after }: ClockChange): Place {
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

function yearlyChangesOf(places: readonly Place[]): YearlyChange[] {
  const days = [...new Set(places.map(({ sinceMarch }) => sinceMarch))].sort((one, other) => one - other);
  const inWeekFrom = (day: number) => places.filter(({ sinceMarch: at }) => at >= day && at < day + 7).length;
  const best = Math.max(...days.map(inWeekFrom));
  const first = days.find((day) => inWeekFrom(day) === best);
  const [one] = places;
  if (first === undefined || one === undefined || best < MIN_YEARS_WITH_CHANGE) return [];
  const { weekday, time, before, offset } = one;
  return [{ month: 3, day: first, weekday, time, before, offset }];
}
