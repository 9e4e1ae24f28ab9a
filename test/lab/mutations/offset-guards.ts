import type { TestedGuard } from "./guard.ts";

const testFile = "services/dispatch/domain/plan/offsets.unit.test.ts";
const contract = {
  file: "services/contracts/announcement-offsets.ts",
  testFile: "services/contracts/announcement-offsets.unit.test.ts",
};

/** Guards of the posts by offsets (D54). */
export const OFFSET_GUARDS: readonly TestedGuard[] = [
  {
    guard: "the offset is part of the identity of a post",
    file: "services/dispatch/domain/post/post.ts",
    in: "offsetInId",
    code: 'if ($_ === undefined) return "";',
    without: 'return "";',
    testFile,
    test: "has a post for each offset, whose identity has the offset",
  },
  {
    guard: "posts by different offsets have different nonces",
    file: "services/dispatch/protocol/delivery/nonce.ts",
    code: "offsetInId($_)",
    without: '""',
    testFile: "services/dispatch/protocol/delivery/nonce.unit.test.ts",
    test: "differs between the offsets of an announcement",
  },
  {
    guard: "the creation of an event is posted once",
    file: "services/dispatch/domain/plan/reannounce.ts",
    code: '$_ === "CREATED" || $REST',
    without: "$REST",
    testFile,
    test: "repeats a sent post only for an anchor that moved by a minute, and never for the creation",
  },
  {
    guard: "of several offsets that are over only the last is posted at once",
    file: "services/dispatch/domain/plan/fire-time.ts",
    in: "supersededBy",
    code: "$_.some($_)",
    without: "false",
    testFile,
    test: "is skipped at once if a later one from the same anchor is due at once as well",
  },
  {
    guard: "an event that is over still has its posts after the end",
    file: "services/dispatch/domain/plan/select-soonest.ts",
    in: "selectSoonest",
    code: "Math.max($FROM, $SINCE) - Math.max(0, $_)",
    without: "Math.max($FROM, $SINCE)",
    testFile,
    test: "has the post of an event that started, or ended, before the plan begins",
  },
  {
    guard: "posts of an offset that an announcement has no more are cancelled",
    file: "services/dispatch/domain/plan/plan-posts.ts",
    in: "isWithinInput",
    code: "!hasOffset($_, $_)",
    without: "false",
    testFile,
    test: "cancels the posts of offsets that the announcement has no more",
  },
  {
    guard: "a new event is planned at once if an announcement counts from the creation",
    file: "services/dispatch/protocol/planning/plan-guild.ts",
    in: "longestLeadOf",
    code: '$_ === "CREATED" ? Infinity : $LEAD',
    without: "$LEAD",
    testFile: "services/dispatch/protocol/planning/new-events.unit.test.ts",
    test: "changes the plan, wherever it starts, if an announcement counts from the creation",
  },
  {
    ...contract,
    guard: "an announcement has no offset twice",
    in: "duplicates",
    code: "$_ === $_",
    without: "true",
    test: "must not be the same offset twice",
  },
  {
    ...contract,
    guard: "no offset is before the creation",
    in: "tooEarly",
    code: "$_ >= 0",
    without: "true",
    test: "must not be minutes before the creation",
  },
  {
    ...contract,
    guard: "offsets and another lead time are refused",
    in: "otherLeadTime",
    code: "$_ !== $_[$_]",
    without: "false",
    test: "must not be offsets with another lead time",
  },
];
