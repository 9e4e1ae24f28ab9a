import { IMPORT_REASON_TEXTS } from "../../contracts/event-import.contract.ts";
import type { ImportResponse } from "./import-report.ts";

const BODY = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//Example//Calendar//EN",
  "BEGIN:VEVENT",
  "UID:raid@example.com",
  "DTSTAMP:20300101T000000Z",
  "DTSTART;TZID=Europe/Berlin:20300105T200000",
  "DURATION:PT2H",
  "RRULE:FREQ=WEEKLY;BYDAY=SA",
  "SUMMARY:Raid night",
  "END:VEVENT",
  "BEGIN:VEVENT",
  "UID:hourly@example.com",
  "DTSTAMP:20300101T000000Z",
  "DTSTART:20300105T190000Z",
  "RRULE:FREQ=HOURLY",
  "SUMMARY:Every hour",
  "END:VEVENT",
  "END:VCALENDAR",
  "",
].join("\r\n");

const RESPONSE: ImportResponse = {
  message: "Calendar imported",
  complete: true,
  dry_run: false,
  created: 1,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  skipped: 1,
  changed: 0,
  report: [
    { line: 12, outcome: "skipped", reason: "RULE_NOT_SUPPORTED", message: IMPORT_REASON_TEXTS.RULE_NOT_SUPPORTED },
  ],
  report_omitted: 0,
  reasons: [{ reason: "RULE_NOT_SUPPORTED", count: 1 }],
  not_imported: [],
};

/** The example of the API document; a test sends the body and expects the response. */
export const importExample = {
  query: { guild_id: "375357265198317579", calendar_number: "1" },
  body: BODY,
  response: RESPONSE,
};
