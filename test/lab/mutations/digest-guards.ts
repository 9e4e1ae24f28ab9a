import type { TestedGuard } from "./guard.ts";

const plan = { testFile: "services/dispatch/domain/plan/digest-plan.unit.test.ts" };
const fields = {
  file: "services/contracts/announcement-digests.ts",
  testFile: "services/contracts/announcement-digests.unit.test.ts",
};
const instants = {
  file: "services/calendar-events/domain/digest/digest-occurrence.ts",
  testFile: "services/calendar-events/domain/digest/digest-occurrence.unit.test.ts",
};
const message = {
  file: "services/dispatch/domain/message/digest-embed.ts",
  testFile: "services/dispatch/domain/message/digest-embed.unit.test.ts",
};
const night = {
  testFile: "test/calendar/digest-night.unit.test.ts",
  test: "are posted once at their instants with the events of the moment, skipped if empty, and missed while their owner is silent",
};

/** Guards of digests (D65). */
export const DIGEST_GUARDS: readonly TestedGuard[] = [
  {
    ...fields,
    guard: "a lead time of a digest is refused",
    in: "digestProblems",
    code: "$_[$FIELD] !== undefined && $_[$FIELD] !== 0",
    without: "false",
    test: "a digest has no lead time, offsets, template or clean-up, and accepts the zeros of a response",
  },
  {
    ...fields,
    guard: "the schedule of another type is refused",
    in: "digestProblems",
    code: "$DIGEST === undefined ? [] : [onlyForDigests()]",
    without: "[]",
    test: "a digest without its schedule, and a schedule without a digest, are refused by name",
  },
  {
    ...instants,
    guard: "a day that a zone skipped has no digest of its own",
    in: "digestOfDay",
    code: "$OF_NEXT_DAY || $LATE > LAST_EPOCH_MS",
    without: "$LATE > LAST_EPOCH_MS",
    test: "are one if the zone skipped a day, whose times are those of the next day",
  },
  {
    ...plan,
    file: "services/dispatch/domain/plan/covers.ts",
    guard: "a digest is covered by the announcement with its schedule alone",
    in: "covers",
    code: "if ($_.digest !== undefined) return $_;",
    without: "",
    test: "is not that of any other announcement, and a digest covers no event",
  },
  {
    ...plan,
    file: "services/dispatch/domain/plan/fire-time.ts",
    guard: "a digest is not posted at an instant before its calendar got the time zone",
    in: "timeByOccurrence",
    code: "if ($_.digest !== undefined) return $_;",
    without: "",
    test: "skips a digest whose calendar got its time zone after the instant",
  },
  {
    ...plan,
    file: "services/dispatch/domain/plan/plan-posts.ts",
    guard: "an empty digest is skipped once",
    in: "mayBeReplanned",
    code: "!$WAS_EMPTY && $REST",
    without: "$REST",
    test: "skips an empty digest once, and posts it at another instant",
  },
  {
    ...night,
    file: "services/dispatch/protocol/delivery/fire.ts",
    guard: "a digest without events is not sent",
    in: "firePost",
    code: "isEmptyDigest($_)",
    without: "false",
  },
  {
    ...night,
    file: "services/dispatch/domain/plan/current-state.ts",
    guard: "a digest is not sent from the copies of a plan",
    in: "canBeRendered",
    code: "return $_;",
    without: "return true;",
  },
  {
    ...message,
    guard: "the events of a digest stay within the limit of an embed",
    in: "fieldsWithin",
    code: "if ($LEFT < 0) break;",
    without: "",
    test: "stays within the limits of Discord, whatever its texts, and mentions nobody",
  },
  {
    ...message,
    guard: "the footer of a digest has its instant",
    in: "digestEmbed",
    code: "$_.digestIds($ID, $_)",
    without: 'ANNOUNCEMENT_WORDS.ENGLISH.digestIds($ID, "")',
    test: "is recognized by its announcement and instant, although its events have changed",
  },
  {
    guard: "a digest of a color has the occurrences that were changed to it",
    file: "services/calendar-events/store/event-filters.ts",
    in: "mayHaveColor",
    code: "[$COLOR, { hasOverrides: true }]",
    without: "[$COLOR]",
    testFile: "services/dispatch/digests.nats.test.ts",
    needsServers: true,
    test: "of a color lists the events and the changed occurrences that have it, and no others",
  },
  {
    guard: "the digests of a guild are read one after the other",
    file: "services/calendar-events/digest-reads.ts",
    in: "digestTurns",
    code: "await $_.run($_.guildId, $READ)",
    without: "await ($READ)()",
    testFile: "services/calendar-events/digest-reads.unit.test.ts",
    test: "of a guild are read one after the other, and one that waits too long is refused",
  },
  {
    guard: "idle turns of keys are deleted",
    file: "mixins/async/turns-by-key.ts",
    in: "run",
    code: "this.#turns.size >= MAX_IDLE",
    without: "false",
    testFile: "mixins/async/turns-by-key.unit.test.ts",
    test: "keep no key in memory for long after its work",
  },
];
