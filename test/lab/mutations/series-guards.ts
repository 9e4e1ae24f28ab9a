import type { TestedGuard } from "./guard.ts";

const allDay = { testFile: "services/calendar-events/domain/event/all-day.unit.test.ts" } as const;
const stored = { testFile: "services/calendar-events/all-day.int.test.ts", onRealParts: true } as const;

/** Guards of all-day events. */
export const SERIES_GUARDS: readonly TestedGuard[] = [
  {
    ...allDay,
    guard: "an all-day event ends at a midnight, also on a day of a clock change",
    file: "services/calendar-events/domain/recurrence/occurrences.ts",
    in: "endOf",
    code: "localToInstant($$$_)",
    without: "arguments[0] + 86_400_000",
    test: "has an occurrence from midnight to midnight on each day",
  },
  {
    ...allDay,
    guard: "the rule of an all-day series counts from a midnight that does not exist",
    file: "services/calendar-events/domain/event/event.ts",
    in: "seriesOf",
    code: "$_ === undefined ? $_.startWall : wallOfDay($_)",
    without: "undefined",
    test: "has an occurrence from midnight to midnight on each day",
  },
  {
    ...allDay,
    guard: "instants beside dates are those of the dates",
    file: "services/calendar-events/domain/event/given-times.ts",
    in: "instantsProblem",
    code: "$_.length === 0",
    without: "true",
    test: "refuses dates out of range, and instants that are not its midnights",
  },
  {
    ...allDay,
    guard: "dates without all_day are refused",
    file: "services/contracts/event-times.ts",
    in: "newEventProblems",
    code: "($_ ?? $_) !== undefined",
    without: "false",
    test: "is refused by field without a start date, and dates without all_day",
  },
  {
    ...stored,
    guard: "windows find all-day events that a new zone has moved",
    file: "services/calendar-events/window-index/query.ts",
    in: "shortEventConditions",
    code: "{ from: $_.from - $_, until: $_.until + $_ }",
    without: "arguments[0]",
    test: "move to the midnights of a new zone",
  },
  {
    ...stored,
    guard: "dispatch finds all-day events that a new zone has moved",
    file: "services/calendar-events/calendar-windows.ts",
    in: "collectAllDay",
    code: "{ from: $_.from - MAX_ZONE_MOVE_MS, until: $_.until + MAX_ZONE_MOVE_MS }",
    without: "arguments[2]",
    test: "move to the midnights of a new zone",
  },
];
