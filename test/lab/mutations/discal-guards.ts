import type { TestedGuard } from "./guard.ts";

const tables = { testFile: "services/launch/cli/discal/table-rows.unit.test.ts" };
const rows = { testFile: "services/launch/cli/discal/map-rows.unit.test.ts" };
const discal = { testFile: "services/launch/cli/discal/discal.unit.test.ts" };

/** Guards of the import from DisCal (D60): nothing twice, and the bounds of an export. */
export const DISCAL_GUARDS: readonly TestedGuard[] = [
  {
    ...discal,
    guard: "nothing is imported until all that DisCal has posted early was due",
    file: "services/launch/cli/import.ts",
    in: "checkStopped",
    code: "$_ < $_",
    without: "false",
    test: "until all that it has posted early was due",
  },
  {
    ...discal,
    guard: "a row of an earlier run is not imported again",
    file: "services/launch/cli/discal/import-record.ts",
    in: "openRecord",
    code: "$_.get($_) === $_",
    without: "false",
    test: "is the record of the next run",
  },
  {
    ...discal,
    guard: "a half line of the report does not spoil the next one",
    file: "services/launch/cli/discal/import-record.ts",
    in: "openRecord",
    code: "!$_ && (await $_.stat()).size > 0",
    without: "false",
    test: "a killed run has left half a line",
  },
  {
    ...discal,
    guard: "a repeated create has the same Idempotency-Key",
    file: "services/launch/cli/discal/guildcal-requests.ts",
    in: "guildcalRequests",
    code: '$_ === undefined ? {} : { "idempotency-key": $_ }',
    without: "{}",
    test: "with the same Idempotency-Key",
  },
  {
    ...discal,
    guard: "a long wait ends the import",
    file: "services/launch/cli/discal/guildcal-requests.ts",
    in: "guildcalRequests",
    code: "!($_ <= MAX_WAIT_MS)",
    without: "false",
    test: "when the wait is for people",
  },
  {
    ...tables,
    guard: "a record of CSV is limited",
    file: "services/launch/cli/discal/csv-rows.ts",
    in: "records",
    code: "$_ > MAX_ROW_LENGTH",
    without: "false",
    test: "CSV with an endless row",
  },
  {
    ...tables,
    guard: "an object of JSON is limited",
    file: "services/launch/cli/discal/json-rows.ts",
    in: "ObjectSplitter",
    code: "this.#text.length > MAX_ROW_LENGTH",
    without: "false",
    test: "JSON with an endless object",
  },
  {
    ...rows,
    guard: "an image adds no line to a calendar",
    file: "services/launch/cli/discal/survey-export.ts",
    in: "imageOf",
    code: "!$_.test($_)",
    without: "false",
    test: "STATUS:CANCELLED",
  },
];
