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
];
