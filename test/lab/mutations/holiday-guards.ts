import type { TestedGuard } from "./guard.ts";

const days = {
  file: "services/calendar-events/domain/holiday/holiday-days.ts",
  testFile: "services/calendar-events/domain/holiday/holiday-days.unit.test.ts",
};
const reads = {
  file: "services/calendar-events/holidays.ts",
  testFile: "services/calendar-events/holidays.unit.test.ts",
};
const rules = { file: "services/contracts/holidays.ts", testFile: "services/contracts/holidays.unit.test.ts" };
const diff = { testFile: "services/dispatch/queries/diff-holidays.unit.test.ts" };

/** Guards of holidays (D66). */
export const HOLIDAY_GUARDS: readonly TestedGuard[] = [
  {
    ...rules,
    guard: "the announcements of a guild name at most five calendars of holidays",
    in: "skipOnProblems",
    code: "new Set($OTHERS).size < MAX_HOLIDAY_CALENDARS",
    without: "true",
    test: "are at most five: one that an announcement names already is no further one",
  },
  {
    ...days,
    guard: "the name of a holiday is cut",
    in: "shortName",
    code: "$CHARACTERS.length <= MAX_HOLIDAY_NAME",
    without: "true",
    test: "a name is one line of at most 100 characters",
  },
  {
    ...days,
    guard: "the events of the calendar of holidays are posted",
    in: "withHolidaysOf",
    code: "$NUMBER === $OCCURRENCE.calendarNumber",
    without: "false",
    test: "but none of its own calendar",
  },
  {
    ...reads,
    guard: "concurrent posts of a day share a read of the calendar of holidays",
    in: "sharedInTurns",
    code: "$SHARED !== undefined",
    without: "false",
    test: "concurrent posts of a day share a read",
  },
  {
    ...reads,
    guard: "the events of changed holidays do not hide later ones in a draft",
    in: "holidayReader",
    code: "{ cursor: $_.next }",
    without: "{}",
    test: "do not have ignored entries, however many hide a later one",
  },
  {
    ...reads,
    guard: "a calendar that the guild may not have has no holidays when a post is due",
    in: "holidayReads",
    code: "!(await $ALLOWED($NUMBER))",
    without: "false",
    test: "of a calendar that the guild may not have are none",
  },
  {
    ...reads,
    guard: "a calendar that the guild may not have has no holidays in plans",
    in: "holidayReads",
    code: "(await $_($_)) ? $READ : $_",
    without: "$READ",
    test: "of a calendar that the guild may not have are none",
  },
  {
    guard: "a digest has no calendar of holidays",
    file: "services/contracts/announcement-digests.ts",
    in: "digestProblems",
    code: '["offsets", "template", "skipOn", "cleanUp"]',
    without: '["offsets", "template", "cleanUp"]',
    testFile: "services/announcements/domain/digest-announcement.unit.test.ts",
    test: "is refused by name with a field that it has no use for, and changes nothing",
  },
  {
    guard: "a post that a holiday has skipped is not planned again",
    file: "services/dispatch/domain/post/reason-code.ts",
    code: "/^holiday: /",
    without: "/^holidays: /",
    testFile: "services/dispatch/domain/plan/skip-when-due.unit.test.ts",
    test: "is planned with the reason, is not required by the current state, and is not planned again when it was due",
  },
  {
    guard: "the holiday is read when a post is due",
    file: "services/dispatch/protocol/scheduling/state-reader.ts",
    in: "newStateReader",
    code: "$SKIP === undefined || $OCCURRENCE === null",
    without: "true",
    testFile: "services/dispatch/protocol/scheduling/state-reader.unit.test.ts",
    test: "the current state has the holiday of the occurrence only if the announcement skips holidays",
  },
  {
    guard: "a new event beyond the horizon may be the holiday of a planned post",
    file: "services/dispatch/protocol/planning/plan-guild.ts",
    in: "planGuild",
    code: "$HOLIDAYS.length === 0 ? 0 : LATEST_HOLIDAY_MS",
    without: "0",
    testFile: "services/dispatch/protocol/planning/new-events.unit.test.ts",
    test: "may be the holiday of a planned post although it starts up to two days and four hours later",
  },
  {
    ...diff,
    guard: "a draft of a holiday is compared for the events of other calendars",
    file: "services/calendar-events/drafts/list-drafted.ts",
    in: "listDrafted",
    code: "$HOLIDAYS.areChanged",
    without: "false",
    test: "of a holiday has the posts that it skips, and those of a deleted holiday appear",
  },
  {
    ...diff,
    guard: "a deleted holiday does not count in a draft",
    file: "services/calendar-events/holidays.ts",
    in: "holidayReader",
    code: "if (!$_($_)) addEntry($$$ARGS)",
    without: "addEntry($$$ARGS)",
    test: "of a holiday has the posts that it skips, and those of a deleted holiday appear",
  },
];
