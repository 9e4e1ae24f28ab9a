import type { Guard } from "./guard.ts";

const sessions = { file: "mixins/kept-sessions.ts", testFile: "mixins/kept-sessions.int.test.ts", onRealParts: true };

/** What commands to the database, and what is under way in memory, are kept to. */
export const DATABASE_GUARDS: readonly Guard[] = [
  {
    guard: "a new record leaves one that is there as it is",
    file: "mixins/new-records.ts",
    text: '{ $cond: [IS_NEW, record, "$$ROOT"] }',
    without: "record",
    testFile: "mixins/new-records.int.test.ts",
    test: "one whose id is taken changes nothing",
    onRealParts: true,
  },
  {
    guard: "what was under way is let go of at once",
    file: "mixins/passing-map.ts",
    text: "entry.value = undefined;",
    without: "",
    testFile: "mixins/passing-map.unit.test.ts",
    test: "is let go of",
  },
  {
    ...sessions,
    guard: "no more than a hundred sessions are kept",
    text: "sessions.length < MOST_KEPT",
    without: "sessions.length < Infinity",
    test: "a hundred are kept at most",
  },
  {
    ...sessions,
    guard: "a session is given up after an error",
    text: "let isKept = false;",
    without: "let isKept = true;",
    test: "after an error another is begun",
  },
  {
    guard: "a read that is never answered holds up the next for 20 ms alone",
    file: "mixins/coalesced-reads.ts",
    text: ", placeMs: MOST_WAIT_MS",
    without: "",
    testFile: "mixins/coalesced-reads.unit.test.ts",
    test: "waits for them no longer than 20 ms",
  },
  {
    guard: "what comes while two commands are under way waits for one to end",
    file: "mixins/together.ts",
    text: "if (free === 0) return",
    without: "if (free === -Infinity) return",
    testFile: "mixins/together.unit.test.ts",
    test: "while two are under way",
  },
  {
    guard: "the embedded mongod runs no JavaScript",
    file: "services/launch/embedded-mongod.ts",
    text: '    "--noscripting",\n',
    without: "",
    testFile: "test/processes/database-users.processes.test.ts",
    test: "MongoDB runs no JavaScript",
    onRealParts: true,
  },
  {
    guard: "writes of one document begin one after the other",
    file: "mixins/write-queue.ts",
    text: "else if (!(await turnIn(waiting))) {",
    without: "else if (false) {",
    testFile: "mixins/write-queue.unit.test.ts",
    test: "begin one after the other, in the order in which they came",
  },
  {
    guard: "writes that wait for one document have a bound",
    file: "mixins/write-queue.ts",
    text: "(waiting?.length ?? 0) >= MAX_WAITING",
    without: "false",
    testFile: "mixins/write-queue.unit.test.ts",
    test: "beyond 250 that wait are refused at once",
  },
  {
    guard: "no two announcements of a guild have one slot",
    file: "services/announcements/announcements.store.ts",
    text: "unique: true, ",
    without: "",
    testFile: "test/integration/contention.int.test.ts",
    test: "with room for ten announcements ten are stored",
    onRealParts: true,
  },
];
