import type { TestedGuard } from "./guard.ts";

const FOLDER = "services/api/pages/console";
const policy = {
  file: "services/api/pages/console.pages.ts",
  testFile: "services/api/pages/console.pages.unit.test.ts",
  test: "refuses inline scripts and styles",
};
const model = (name: string) => ({
  file: `${FOLDER}/model/${name}.js`,
  testFile: `${FOLDER}/model/${name}.unit.test.ts`,
});

/** Guards of the console. */
export const CONSOLE_GUARDS: readonly TestedGuard[] = [
  { ...policy, guard: "the console cannot be framed", code: `"frame-ancestors 'none'"`, without: `""` },
  {
    ...policy,
    guard: "the console parses no text as HTML",
    code: `"require-trusted-types-for 'script'"`,
    without: `""`,
  },
  {
    ...policy,
    guard: "types and tests of the console are not served",
    code: "extname($_) in TYPES",
    without: "true",
    test: "tests, types and texts of the folder are not served",
  },
  {
    guard: "a browser gets no second copy of a file that it has",
    file: "services/api/pages/file-page.ts",
    in: "filePage",
    code: "$_.split($_).includes($_)",
    without: "false",
    testFile: "services/api/pages/console.pages.unit.test.ts",
    test: "gets no second copy",
  },
  {
    ...model("event-form"),
    guard: "a form of the console sends only the texts that were changed",
    in: "updateFields",
    code: "TEXTS.filter($_)",
    without: "TEXTS",
    test: "sends only what was changed",
  },
  {
    ...model("event-form"),
    guard: "a form of the console clears an emptied text",
    in: "updateFields",
    code: `$AFTER === "" ? null : $AFTER`,
    without: "$AFTER",
    test: "clears an emptied text",
  },
  {
    ...model("announcement-form"),
    guard: "the console sends a new type of an announcement with its reference",
    in: "changedAnnouncementFields",
    code: `$NEW && ($_ === "eventId" || $_ === "eventColor" || $_ === "digest")`,
    without: "false",
    test: "a new type with its reference",
  },
  {
    ...model("move-event"),
    guard: "an event that is moved by nothing keeps its instant in the hour that comes twice",
    in: "movedTimes",
    code: "$DAYS === 0 && ($_ || $_ === 0)",
    without: "false",
    test: "by nothing changes no instant",
  },
  {
    ...model("calendar-layout"),
    guard: "an event that ends at midnight is not shown on the next day",
    in: "placeOf",
    code: "$_.minutes === 0 && $_.date > $_.date",
    without: "false",
    test: "ends at midnight is not on the next day",
  },
  {
    ...model("post-timeline"),
    guard: "the outcome counts of a post that was settled between the reads",
    in: "mergePosts",
    code: "[...$PLAN, ...$HISTORY].map($ENTRY)",
    without: "[...$HISTORY, ...$PLAN].map($ENTRY)",
    test: "appears once",
  },
  {
    ...model("post-timeline"),
    guard: "the posts of one event by different offsets are different posts",
    in: "postKey",
    code: `[$ANNOUNCEMENT, $EVENT, $START, $ANCHOR, $MINUTES].join(" ")`,
    without: `[$ANNOUNCEMENT, $EVENT, $START].join(" ")`,
    test: "by different offsets are different posts",
  },
  {
    ...model("announcement-form"),
    guard: "offsets that are removed in the form give way to the lead time",
    in: "offsetsOf",
    code: "$GIVEN.length > 0",
    without: "true",
    test: "where offsets were removed",
  },
  {
    ...model("server-sent-events"),
    guard: "a block without an end does not fill the memory of the browser",
    in: "read",
    code: "$_.length > MAX_REST",
    without: "false",
    test: "does not fill the memory",
  },
];
