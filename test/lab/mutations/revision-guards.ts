import type { TestedGuard } from "./guard.ts";

const replicas = { testFile: "test/integration/concurrent-changes.nats.test.ts", needsServers: true };
const subscribers = {
  file: "services/announcements/domain/subscribers.ts",
  testFile: "services/announcements/domain/subscribers.unit.test.ts",
};
const header = { file: "services/api/wire/if-match.ts", testFile: "services/api/wire/if-match.unit.test.ts" };
const warnings = { file: "services/api/wire/warnings.ts", testFile: "services/api/wire/warnings.unit.test.ts" };

/** Guards against lost updates (D36), and of warnings (D37). */
export const REVISION_GUARDS: readonly TestedGuard[] = [
  {
    ...replicas,
    guard: "a write with another revision is refused (D36)",
    file: "services/contracts/revision.ts",
    in: "revisionMismatch",
    code: "$_ === undefined || $_.includes($_)",
    without: "true",
    test: "is not changed with another revision",
  },
  {
    ...replicas,
    guard: "a new zone of the calendar changes the ETag of its series (D22)",
    file: "services/calendar-events/domain/event/event.ts",
    in: "publicRevision",
    code: "`${$REVISION}.${anchorOf($_).version}`",
    without: "`${$REVISION}`",
    test: "an occurrence's ETag changes with its own data",
  },
  {
    ...replicas,
    guard: "If-Match is refused at endpoints that compare no revision",
    file: "services/api/request-handler.ts",
    in: "check",
    code: "refuseIfMatch($HEADERS)",
    without: "readIfMatch($HEADERS)",
    test: "If-Match at an endpoint that compares no revision",
  },
  {
    ...header,
    guard: "a weak entity tag matches nothing (RFC 9110 section 13.1.1)",
    in: "readIfMatch",
    code: "!$_ && REVISION.test($TEXT)",
    without: "REVISION.test($TEXT)",
    test: "undefined is a malformed header, which is refused with 400",
  },
  {
    ...subscribers,
    guard: "a list of subscribers does not grow beyond 1000 by additions (D26)",
    in: "tooMany",
    code: "$_ <= MAX_SUBSCRIBERS",
    without: "true",
    test: "beyond 1000 entries of a list are refused with 409, naming the field, and nothing is changed",
  },
  {
    ...subscribers,
    guard: "a subscriber is added only once",
    in: "changedSet",
    code: "[...new Set($ADDED)].filter($_)",
    without: "[...new Set($ADDED)]",
    test: "give the same lists as a set, in any order and with duplicates",
  },
  {
    ...warnings,
    guard: "warnings are at most ten",
    in: "warningsFor",
    code: "$_ >= MAX_WARNINGS",
    without: "false",
    test: "are at most ten",
  },
  {
    ...warnings,
    guard: "warnings of times are at most ten",
    in: "warningsFor",
    code: "timeWarnings($$$ALL).slice(0, MAX_WARNINGS)",
    without: "timeWarnings($$$ALL)",
    test: "are at most ten",
  },
  {
    ...warnings,
    guard: "a time inside an object gets a warning",
    in: "timeWarningsIn",
    code: "isObject($_) ? $INSIDE : []",
    without: "[]",
    test: "name a time before 1980 in a recurrence",
  },
  {
    ...warnings,
    guard: "a long name is cut in a warning",
    in: "cutName",
    code: "$_ <= MAX_NAME_LENGTH",
    without: "true",
    test: "a long name is cut",
  },
];
