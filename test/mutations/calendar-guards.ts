import type { Guard } from "./guard.ts";

/** What finds the series of a window. */
export const CALENDAR_GUARDS: readonly Guard[] = [
  {
    guard: "a series is filed by its exact period",
    file: "services/calendar-events/domain/lanes.ts",
    text: 'return { unit: "d", period: 7 * interval };',
    without: 'return { unit: "d", period: 7 * (interval > 8 ? 1 : interval) };',
    testFile: "services/calendar-events/domain/filing.unit.test.ts",
    test: "in no place on the same weekday before it",
  },
];
