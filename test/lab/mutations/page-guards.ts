import type { TestedGuard } from "./guard.ts";

const cursors = {
  file: "mixins/actions/page-cursor.ts",
  testFile: "mixins/actions/page-cursor.unit.test.ts",
  test: "are not what a client has made itself",
};
const list = { file: "services/api/wire/encode-list.ts", testFile: "services/api/wire/encode-list.unit.test.ts" };
const entries = { file: "mixins/actions/page-entries.ts", testFile: "mixins/actions/page-entries.unit.test.ts" };
const bounded = { testFile: "services/calendar-events/bounded-pages.mongo.test.ts", needsServers: true } as const;
const pages = { testFile: "services/calendar-events/event-pages.nats.test.ts", needsServers: true } as const;

/** Guards of the search and of lists (D38), also in pages (D49). */
export const PAGE_GUARDS: readonly TestedGuard[] = [
  {
    ...list,
    guard: "a response has at most 4 MiB (D38)",
    in: "encodeList",
    code: "$_ > MAX_RESPONSE_BYTES",
    without: "false",
    test: "returns exactly 4 MiB, and refuses one byte more, for a list with",
  },
  {
    ...list,
    guard: "a long list is encoded in slices",
    in: "encodeList",
    code: "await $_.rest();",
    without: "",
    test: "lets other work run while a long list is encoded",
  },
  {
    ...list,
    guard: "a slice of a long list has a bound in characters",
    in: "leastCharacters",
    code: "leastCharacters($_)",
    without: "0",
    test: "encodes few long entries in slices, too: nested texts",
  },
  {
    guard: "an owner service stops building a list that exceeds the maximum response (D38)",
    file: "mixins/actions/bounded-list.ts",
    in: "exceeded",
    code: "$_ > MAX_RESPONSE_BYTES",
    without: "false",
    testFile: "services/calendar-events/calendar-windows.nats.test.ts",
    test: "a series of long texts is refused if its occurrences exceed 4 MiB, and listed if they fit",
    needsServers: true,
  },
  {
    ...cursors,
    guard: "a cursor has values of the types of its list",
    in: "isValue",
    code: 'typeof $_ === "string"',
    without: "true",
  },
  {
    ...cursors,
    guard: "a list refuses what it has not written itself, such as the cursor of another list",
    in: "pageCursors",
    code: "writeCursor($$$) === $_",
    without: "true",
  },
  {
    ...entries,
    guard: "a page ends before 4 MiB",
    in: "add",
    code: "$_ > MAX_RESPONSE_BYTES",
    without: "false",
    test: "end before 4 MiB of JSON",
  },
  {
    ...entries,
    guard: "a page begins behind the entry of its cursor",
    in: "entriesAfter",
    code: "comparePositions($$$) > 0",
    without: "true",
    test: "have each entry once and in order",
  },
  {
    ...bounded,
    file: "services/calendar-events/event-search.ts",
    guard: "a page of a search reads a limited number of rows",
    in: "eventSearch",
    code: "$_ > 0",
    without: "true",
    test: "of a search ends after its rows",
  },
  {
    ...bounded,
    file: "services/calendar-events/event-search.ts",
    guard: "a page of a search takes a limited time",
    in: "eventSearch",
    code: "performance.now() < $_",
    without: "true",
    test: "of a search ends after its time",
  },
  {
    ...bounded,
    file: "services/calendar-events/window-pages.ts",
    guard: "a page of a window takes a limited time",
    in: "windowPages",
    code: "performance.now() >= $_",
    without: "false",
    test: "of a window ends after the part",
  },
  {
    ...pages,
    file: "services/calendar-events/window-pages.ts",
    guard: "a page of a window begins behind the last entry of the page before",
    in: "isBehind",
    code: "comparePositions($$$) > 0",
    without: "true",
    test: "together are the list of the window",
  },
  {
    ...pages,
    file: "services/calendar-events/event-search.ts",
    guard: "a search leaves out occurrences that are only moved or cancelled",
    in: "searchOf",
    code: "!hasOwnContent($_)",
    without: "false",
    test: "finds single events, series as a whole",
  },
];
