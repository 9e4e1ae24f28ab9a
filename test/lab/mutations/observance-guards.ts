import type { TestedGuard } from "./guard.ts";

const lines = {
  file: "mixins/icalendar/zone-lines.ts",
  testFile: "mixins/icalendar/zone-lines.unit.test.ts",
};
const observances = {
  file: "services/calendar-events/domain/import/observances.ts",
  testFile: "services/calendar-events/domain/import/observances.unit.test.ts",
};
const sending = {
  file: "services/api/imports/calendar-import.ts",
  testFile: "services/api/imports/calendar-import.unit.test.ts",
};

/** Guards of the observances of imported time zones, of refused imports (D52), and of SEQUENCE in feeds (D47). */
export const OBSERVANCE_GUARDS: readonly TestedGuard[] = [
  {
    ...lines,
    guard: "all RDATEs of an observance are kept",
    in: "add",
    code: '$_ === "RDATE"',
    without: "false",
    test: "keeps every RDATE of an observance",
  },
  {
    ...lines,
    guard: "the RDATEs of an observance are limited",
    in: "#addDates",
    code: "$_ <= MAX_DATES_LENGTH",
    without: "true",
    test: "of more RDATEs in one line than are kept has no observances",
  },
  {
    ...lines,
    guard: "a time zone whose RDATEs are not all kept has no observances",
    in: "end",
    code: "$_.some($$$)",
    without: "true",
    test: "has no observances if a removed one had the last RDATEs",
  },
  {
    ...observances,
    guard: "an RDATE changes the offset of a time zone",
    in: "onsetsAround",
    code: "new Set([...$RULE, ...$_])",
    without: "new Set($RULE)",
    test: "has the offset after each of them",
  },
  {
    ...observances,
    guard: "a time zone with an RDATE that cannot be read is unknown",
    in: "readTimeZone",
    code: "$_.every($$$)",
    without: "true",
    test: "is unknown with the date",
  },
  {
    ...observances,
    guard: "the last change of a rule that is over counts",
    in: "onsetsAround",
    code: "$LAST === undefined ? [] : [$LAST]",
    without: "[]",
    test: "has the offset after the last one, however old it is",
  },
  {
    ...observances,
    guard: "UNTIL of a time zone is an instant",
    in: "ruleOf",
    code: "$_.test($$$) ? $_ : 0",
    without: "0",
    test: "ends with UNTIL as an instant",
  },
  {
    guard: "SEQUENCE counts the zone version of the calendar for every event",
    file: "services/calendar-events/domain/feed/event-component.ts",
    in: "identity",
    code: "anchorOf($CALENDAR).version",
    without: "(followsZone(arguments[1]) ? anchorOf($CALENDAR).version : 0)",
    testFile: "services/calendar-events/domain/feed/event-component.unit.test.ts",
    test: "increases when a series, or an all-day event, becomes an event with times",
  },
  {
    ...sending,
    guard: "an import that has stored events is not refused",
    in: "importAll",
    code: "$_ ? $_($_.refusal) : $REFUSED",
    without: "$REFUSED",
    test: "after it has stored events ends incomplete",
  },
  {
    ...sending,
    guard: "a dry run that is refused is not incomplete",
    in: "importAll",
    code: "!$_.query.dryRun",
    without: "true",
    test: "after it has stored events ends incomplete",
  },
  {
    ...sending,
    guard: "a call of an import that may still write keeps the lease",
    in: "importAll",
    code: "!isUnknown($_)",
    without: "true",
    test: "does not end its lease after a call of unknown outcome",
  },
  {
    ...sending,
    guard: "a call of an import has an unknown outcome if its first attempt has one",
    in: "sendBatch",
    code: "$_.query.dryRun && !isUnknown($_)",
    without: "!isUnknown({ refusal: 'UNAVAILABLE' })",
    test: "has an unknown outcome if an attempt of it has one",
  },
  {
    ...sending,
    guard: "an unknown outcome of an import has a Retry-After",
    in: "sendBatch",
    code: "retryAfter($_)",
    without: "{}",
    test: "has an unknown outcome if an attempt of it has one",
  },
];
