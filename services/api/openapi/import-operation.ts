import { CHANGE_REASONS, IMPORT_REASON_TEXTS, SKIP_REASONS } from "../../contracts/event-import.contract.ts";
import { MAX_IMPORT_BYTES } from "../../contracts/event-import.contract.ts";
import { IMPORT_PATH } from "../imports/calendar-import.ts";
import { importExample } from "../imports/import-example.ts";
import { MAX_REPORT_ENTRIES } from "../imports/import-report.ts";
import type { JsonSchema } from "../wire/response-fields.ts";

const SUMMARY = "Imports an iCalendar body into a calendar";
const DESCRIPTION = `${SUMMARY} (RFC 5545), of at most ${MAX_IMPORT_BYTES} bytes. An event is found again by the UID of its VEVENT: the same body \
again changes nothing, and another one updates its events. The response counts all VEVENTs, and names each one that was skipped, or \
whose event differs from it, with its line and the reason. What is in the calendar and not in the body stays. \
The body is not JSON, so that a client sends a file as it is, and the gateway reads it while it arrives.`;

const REFUSED = [400, 401, 403, 404, 405, 408, 413, 415, 429, 431, 500, 503];

const parameters: readonly JsonSchema[] = [
  { name: "guild_id", in: "query", required: true, description: "Id of the guild", schema: { type: "string" } },
  {
    name: "calendar_number",
    in: "query",
    required: true,
    description: "Number of the calendar; 1 is the main one",
    schema: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
  },
  {
    name: "dry_run",
    in: "query",
    description: "`true` reports what an import would do, and stores nothing",
    schema: { type: "boolean", default: false },
  },
  {
    name: "ids",
    in: "query",
    description: "`true` adds `ids` to the response, the ids of the events",
    schema: { type: "boolean", default: false },
  },
];

const count = (description: string): JsonSchema => ({ type: "integer", minimum: 0, description });

function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  description: string,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const required = Object.keys(properties);
  return {
    type: "object",
    description,
    properties: { ...properties, ...optional },
    required,
    additionalProperties: false,
  };
}

const REASONS = [...SKIP_REASONS, ...CHANGE_REASONS];

const REPORT_ENTRY = objectOf(
  {
    line: { type: "integer", minimum: 1, description: "Line of the VEVENT's BEGIN in the body, from 1" },
    outcome: {
      type: "string",
      enum: ["skipped", "changed"],
      description: "`changed`: imported, but the event differs from its VEVENT",
    },
    reason: {
      type: "string",
      enum: REASONS,
      description: REASONS.map((reason) => `\`${reason}\`: ${IMPORT_REASON_TEXTS[reason]}`).join(". "),
    },
    message: { type: "string", description: "The reason, for people" },
  },
  "A VEVENT that was skipped, or whose event differs from it.",
);

const RESPONSE = objectOf(
  {
    message: { type: "string", description: "The outcome, for people" },
    complete: {
      type: "boolean",
      description:
        "False if the import ended before its end, by its time or by a refusal: the same body again continues",
    },
    dry_run: { type: "boolean", description: "Whether nothing was stored" },
    created: count("VEVENTs that became new events, or new overrides of an occurrence"),
    updated: count("VEVENTs that changed their event or occurrence"),
    deleted: count("VEVENTs with STATUS:CANCELLED that removed their event, or cancelled their occurrence"),
    unchanged: count("VEVENTs whose event is as they have it"),
    skipped: count("VEVENTs that were not imported"),
    changed: count("VEVENTs whose event differs from them; they are among the created, updated or unchanged ones"),
    report: {
      type: "array",
      maxItems: MAX_REPORT_ENTRIES,
      description: "The skipped and changed VEVENTs, by line; a VEVENT has an entry for each reason",
      items: REPORT_ENTRY,
    },
    report_omitted: count(`Number of further entries, beyond ${MAX_REPORT_ENTRIES}`),
    reasons: {
      type: "array",
      description: "Number of VEVENTs by reason, those without an entry included",
      items: objectOf(
        { reason: { type: "string", enum: REASONS, description: "The reason" }, count: count("Number of VEVENTs") },
        "A reason with its number.",
      ),
    },
    not_imported: {
      type: "array",
      description:
        "Properties of VEVENTs and of the calendar, and components, that are not stored, with their numbers; `X-` for other ones that " +
        "begin so, `other` for unknown ones",
      items: objectOf(
        { name: { type: "string", description: "The name" }, count: count("How often it occurs") },
        "A property or component with its number.",
      ),
    },
  },
  "The outcome of an import.",
  {
    ids: {
      type: "array",
      maxItems: MAX_REPORT_ENTRIES,
      description: `The stored events of VEVENTs without a RECURRENCE-ID, by line, at most ${MAX_REPORT_ENTRIES}; only with \`ids=true\``,
      items: objectOf(
        {
          line: { type: "integer", minimum: 1, description: "Line of the VEVENT's BEGIN in the body, from 1" },
          event_id: { type: "string", description: "Id of its event" },
        },
        "A VEVENT with its event.",
      ),
    },
  },
);

const HEADERS = Object.fromEntries(
  ["X-Request-Id", "RateLimit-Policy", "RateLimit"].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** The import of a calendar (D52). */
export const IMPORT_OPERATION: Readonly<Record<string, JsonSchema>> = {
  [IMPORT_PATH]: {
    post: {
      tags: ["v2 calendar"],
      operationId: "v2-calendar-import",
      summary: SUMMARY,
      description: DESCRIPTION,
      parameters,
      requestBody: {
        required: true,
        content: { "text/calendar": { schema: { type: "string" }, example: importExample.body } },
      },
      responses: {
        200: {
          description: "The import is complete, or `complete` is false",
          headers: HEADERS,
          content: { "application/json": { schema: RESPONSE, example: importExample.response } },
        },
        ...Object.fromEntries(REFUSED.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
      },
    },
  },
};
