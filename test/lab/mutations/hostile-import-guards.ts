import type { TestedGuard } from "./guard.ts";

const hostile = { testFile: "services/calendar-events/import/hostile-events.unit.test.ts" };
const split = {
  file: "services/calendar-events/import/import-series.ts",
  testFile: "services/api/imports/split-series.nats.test.ts",
  needsServers: true,
  test: "a series that was split keeps both parts",
} as const;

/** Guards of imports (D52) against VEVENTs that cost much, and against the undoing of a split. */
export const HOSTILE_IMPORT_GUARDS: readonly TestedGuard[] = [
  {
    ...hostile,
    guard: "many lookups in one series share the dates of its rule",
    file: "services/calendar-events/domain/recurrence/rule-dates.ts",
    in: "datesOf",
    code: "$KNOWN?.start === $_",
    without: "false",
    test: "of hundreds of EXDATEs and a costly rule",
  },
  {
    ...hostile,
    guard: "zones are looked up for the year of a VEVENT's start",
    file: "services/calendar-events/domain/import/imported-times.ts",
    in: "zoneOfValue",
    code: "$FIND($ID, $_.wall)",
    without: "$FIND($ID, arguments[1].wall)",
    test: "has its zones looked up for the year of its start",
  },
  {
    ...hostile,
    guard: "only yearly rules without a count change the clock of a VTIMEZONE",
    file: "services/calendar-events/domain/import/observances.ts",
    in: "isCheap",
    code: '$_ === "YEARLY" && $_ === -1',
    without: "true",
    test: "of a time zone with the rule FREQ=DAILY",
  },
  {
    ...hostile,
    guard: "the searches for zones by their rules are limited",
    file: "services/calendar-events/import/read-import.ts",
    code: "$_ < MAX_SEARCHES",
    without: "true",
    test: "and 299 others get a zone by its rules in 200 years",
  },
  {
    ...hostile,
    guard: "decisions about costly VEVENTs take turns",
    file: "services/calendar-events/import/costly-decisions.ts",
    code: "isCostly($_)",
    without: "false",
    test: "are made one after the other",
  },
  {
    ...split,
    guard: "an import gives the first part of a split series no other rule",
    in: "importOne",
    code: "$_ && (await isSplit($$$))",
    without: "false",
  },
  {
    ...split,
    guard: "an import does not delete the first part of a split series",
    in: "removeEvent",
    code: "await isSplit($$$)",
    without: "false",
  },
  {
    ...split,
    guard: "an import creates no series of which a later part is left",
    in: "importGroup",
    code: "$_ && !$_.isMirror",
    without: "false",
  },
  {
    ...split,
    guard: "an import reports the changed occurrences of a later part as split",
    in: "importMember",
    code: '$_ === "UNKNOWN_OCCURRENCE" && (await isSplit($$$))',
    without: "false",
  },
  {
    guard: "a followed address undoes the split of a series",
    file: "services/calendar-events/follow/import-calendar.ts",
    in: "importEvents",
    code: "$RUN($PARAMS, $WRITTEN, true)",
    without: "$RUN($PARAMS, $WRITTEN)",
    testFile: "services/calendar-events/follow/visit-follow.mongo.test.ts",
    needsServers: true,
    test: "has a series as a whole",
  },
  {
    guard: "a followed address has no later part of a series",
    file: "services/calendar-events/domain/follow/content-index.ts",
    in: "isGone",
    code: "$_ || !$SET.has($KEY)",
    without: "!$SET.has($KEY)",
    testFile: "services/calendar-events/domain/follow/follow.unit.test.ts",
    test: "is gone if it was split from a series",
  },
];
