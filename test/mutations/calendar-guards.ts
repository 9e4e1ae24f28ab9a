import type { Guard } from "./guard.ts";

/** What finds the series of a window, and what events and announcements were before. */
export const CALENDAR_GUARDS: readonly Guard[] = [
  {
    guard: "a change that moves nothing keeps what the event was before",
    file: "services/calendar-events/calendar-events.store.ts",
    text: 'isFormer ? BECOMES_FORMER : kept("former")',
    without: "BECOMES_FORMER",
    testFile: "services/calendar-events/calendar-events.store.mongo.test.ts",
    test: "what an event was before it was last moved, recoloured or removed is told, the latest first",
    onRealParts: true,
  },
  {
    guard: "what an occurrence was before it was cancelled is kept",
    file: "services/calendar-events/calendar-events.store.ts",
    text: "override.cancelled || ",
    without: "",
    testFile: "services/calendar-events/calendar-events.store.mongo.test.ts",
    test: "a write from a revision that is not there any more stores nothing, and drops no override",
    onRealParts: true,
  },
  {
    guard: "a rule that was disabled was not in force",
    file: "services/announcements/former-rules.store.ts",
    text: '{ $cond: ["$enabled", RULE, "$former"] }',
    without: "RULE",
    testFile: "services/announcements/announcements.int.test.ts",
    test: "dispatch is told the rule that was in force before it was re-timed, disabled or removed",
    onRealParts: true,
  },
  {
    guard: "a series is filed by its exact period",
    file: "services/calendar-events/domain/lanes.ts",
    text: 'return { unit: "d", period: 7 * interval };',
    without: 'return { unit: "d", period: 7 * (interval > 8 ? 1 : interval) };',
    testFile: "services/calendar-events/domain/filing.unit.test.ts",
    test: "in no place on the same weekday before it",
  },
];
