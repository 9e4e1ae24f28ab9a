import { CHANGE_STREAM_PATH } from "../changes/change-streams.ts";
import type { JsonSchema } from "../wire/response-fields.ts";

const SUMMARY = "Sends what changes in the guild as Server-Sent Events";
const DESCRIPTION = `${SUMMARY}, in the format of the HTML Standard. Each event \`changes\` has \`changes\` and \`more\` of \
\`/v2/changes\` in its data, and as its id the token from which the stream goes on. Without a token it begins with everything \
that the guild has. A comment comes every 15 seconds, with the present token. When the connection ends, send the last id as \
\`Last-Event-ID\`. A browser's EventSource cannot send the key: use fetch. HEAD returns only the headers.`;

const REFUSED = [400, 401, 403, 404, 405, 408, 410, 429, 431, 500, 503];

const parameters: readonly JsonSchema[] = [
  {
    name: "guild_id",
    in: "query",
    required: true,
    description: "Id of the guild",
    schema: { type: "string" },
  },
  {
    name: "sync_token",
    in: "query",
    description: "The token of a response of `/v2/changes`, or the id of an event of this stream",
    schema: { type: "string" },
  },
  {
    name: "Last-Event-ID",
    in: "header",
    description: "The id of the last event, which replaces `sync_token`",
    schema: { type: "string" },
  },
];

const EXAMPLE = [
  "retry: 3100",
  "",
  "event: changes",
  "id: 1.WyIzNzUzNTcyNjUxOTgzMTc1ODMiXQ.q83vEjRWeJA",
  'data: {"changes":[{"kind":"event","id":"e01k85eej8c8046mjmqbfck5ui","revision":2,"changed":1893456000003,"deleted":true}],"more":false}',
  "",
  ": heartbeat",
  "id: 1.WyIzNzUzNTcyNjUxOTgzMTc1ODMiXQ.",
  "",
  "",
].join("\n");

const HEADERS = Object.fromEntries(
  ["X-Request-Id", "RateLimit-Policy", "RateLimit"].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** The stream of changes (D48). */
export const CHANGES_OPERATION: Readonly<Record<string, JsonSchema>> = {
  [CHANGE_STREAM_PATH]: {
    get: {
      tags: ["v2 changes"],
      operationId: "v2-changes-stream",
      summary: SUMMARY,
      description: DESCRIPTION,
      parameters,
      responses: {
        200: {
          description: "The stream, which does not end",
          headers: HEADERS,
          content: { "text/event-stream": { schema: { type: "string" }, example: EXAMPLE } },
        },
        ...Object.fromEntries(REFUSED.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
      },
    },
  },
};
