import { STATUS_CODES } from "node:http";
import { ERRORS, HTTP_ERRORS } from "../../contracts/errors.ts";
import { VERSION } from "../../contracts/version.ts";
import { CHALLENGE } from "../http/http-response.ts";
import { type JsonSchema, objectOf } from "../wire/response-fields.ts";
import { Components, pascal } from "./openapi-components.ts";
import { requestSchema } from "./openapi-schemas.ts";
import { CHANGES_OPERATION } from "./changes-operation.ts";
import { FEED_OPERATION } from "./feed-operation.ts";
import { IMPORT_OPERATION } from "./import-operation.ts";
import { HEALTH_PATHS } from "../pages/health.pages.ts";
import type { Route } from "../route.ts";
import { WARNINGS_SCHEMA } from "../wire/warnings.ts";

const DESCRIPTION = `Calendar events, announcements of these events, and the settings of guilds (chat communities).

Every operation is a POST with a JSON object of at most 64 KiB, except an import, whose body is iCalendar, and the feed of a
calendar, the stream of changes and the probes, which are GETs. Unknown fields have no effect, and \`warnings\` in the
response names them. Every path but those of the probes also exists under \`/api\`. A request that is refused with a 4xx or
with the 503 UNAVAILABLE has changed nothing. After a 500 or the 503 OUTCOME_UNKNOWN, a write may have been performed; after the Retry-After of
OUTCOME_UNKNOWN it can no longer be performed, unless MongoDB hangs while the commit of a change of an occurrence, of a
series with changed occurrences or of an API key is on its way to it.

All times are Unix milliseconds in UTC. Guild ids are 64-bit integers: send them as strings where numbers lose digits,
as they do in JavaScript. This document is also at [openapi.json](/openapi.json).`;

/** The error statuses of an operation. */
const ERROR_STATUSES = [400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 415, 417, 429, 431, 500, 503];
const ALL_ERRORS: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  ...ERRORS,
  ...HTTP_ERRORS,
};

const TAGS: Readonly<Record<string, string>> = {
  "v2 guild": "Settings of a guild",
  "v1 guild": "Settings of a guild, in the names of version 1",
  "v2 changes": "What has changed in a guild, and the outcomes of its posts, in pages or as a stream",
  "v2 plan": "What would be posted after changes that are stored nowhere",
  "v2 webhooks": "Requests to addresses of a guild about its changes, signed as in Standard Webhooks",
  "v2 calendar": "Calendars of a guild, and the time zones that their series run on",
  "v2 events": "Events, series of events, and their occurrences",
  "v1 announcement": "Announcements of events, their planned posts, and the outcomes of posts",
  "admin keys": "Management of API keys; operator keys only",
  health: "Probes for an orchestrator; no API key",
};

/** The OpenAPI 3.1 document of a route table. */
function apiDocument(routes: readonly Route[]): object {
  const components = new Components();
  const paths = {
    ...Object.fromEntries(routes.map((route) => [route.paths[0], { post: operation(route, components) }])),
    ...FEED_OPERATION,
    ...CHANGES_OPERATION,
    ...IMPORT_OPERATION,
    ...Object.fromEntries(
      Object.entries(HEALTH_PATHS).map(([path, summary]) => [path, { get: probeOperation(path, summary) }]),
    ),
  };
  const responses = Object.fromEntries(
    ERROR_STATUSES.map((status) => [errorName(status), errorResponse(status, components)]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Guildcal",
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: "The operator of this installation" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The gateway that serves this document" }],
    security: [{ bearer: [] }, { key: [] }],
    tags: [...new Set(routes.map(tagOf)), "health"].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer <key>`" },
        key: { type: "apiKey", in: "header", name: "Authorization", description: "An API key: `Authorization: <key>`" },
      },
      headers: HEADERS,
      schemas: components.schemas,
      responses,
    },
  };
}

/** The text of the document, in which the ids of examples have every digit. */
export function openapiText(routes: readonly Route[]): string {
  return `${JSON.stringify(apiDocument(routes), null, 2)}\n`;
}

/** The tag of `/v1/announcement/get` is `v1 announcement`. */
function tagOf({ paths: [path] }: Route): string {
  return path.split("/").slice(1, 3).join(" ");
}

function operation(route: Route, components: Components): JsonSchema {
  const [path, ...aliases] = route.paths;
  const name = pascal(path);
  const request = components.add(
    requestSchema(route),
    `${name}Request`,
    `Body of a request to \`${path}\`. ${route.summary}.`,
  );
  const fields = components.add(
    objectOf((route.pages ?? route).responseFields, route.responseName),
    `${name}Response`,
    `Body of a response of \`${path}\` with the status 200. ${route.summary}.`,
  );
  const withWarnings = (body: JsonSchema) => ({ allOf: [body, components.add(WITH_WARNINGS, "WithWarnings")] });
  const response = withWarnings(fields);
  const dryRun = route.dryRun && components.add(objectOf(route.dryRun.responseFields), "PlanDiff");
  const aliasNote = aliases.length === 0 ? "" : ` Also at ${aliases.map((alias) => `\`${alias}\``).join(", ")}.`;
  return {
    tags: [tagOf(route)],
    operationId: path.slice(1).replaceAll("/", "-"),
    summary: route.summary,
    description: `${route.description ?? `${route.summary}.`}${aliasNote}`,
    ...parametersOf(route),
    requestBody: { required: true, content: json(request, route.example.request) },
    responses: {
      200: {
        description: "Done",
        headers: headersOf(200, route.hasEtag),
        content: json(
          dryRun === undefined ? response : { anyOf: [response, withWarnings(dryRun)] },
          route.example.response,
        ),
      },
      ...Object.fromEntries(
        ERROR_STATUSES.filter((status) => mayRespond(route, status)).map((status) => [
          status,
          { $ref: `#/components/responses/${errorName(status)}` },
        ]),
      ),
    },
  };
}

/** Whether an operation has the error status; most have all. */
function mayRespond({ acceptsIfMatch, contract }: Route, status: number): boolean {
  if (status === 410) return "syncToken" in contract.params;
  return status !== 412 || acceptsIfMatch;
}

/** Warnings follow the fields of the response, if there are any (D37). */
const WITH_WARNINGS: JsonSchema = { type: "object", properties: { warnings: WARNINGS_SCHEMA } };

function parametersOf(route: Route): { parameters?: JsonSchema[] } {
  const parameters = [
    ...(route.acceptsIdempotencyKey ? [IDEMPOTENCY_KEY] : []),
    ...(route.acceptsIfMatch ? [IF_MATCH] : []),
  ];
  return parameters.length === 0 ? {} : { parameters };
}

const IF_MATCH: JsonSchema = {
  name: "If-Match",
  in: "header",
  description:
    "The ETag of the revision to change, or a list of at most 20 ETags. If the resource has another revision, the " +
    "response is 412 REVISION_MISMATCH and nothing is changed",
  schema: { type: "string" },
};

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  "X-Request-Id": {
    description: "Id of the request, which errors and the log of the service also contain",
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description: "The limits that apply, in requests (q) per window in seconds (w)",
    schema: { type: "string" },
    example: '"key";q=12000;w=60, "guild";q=6000;w=60',
  },
  RateLimit: {
    description: "Requests that remain in each limit (r), and the seconds until its window ends (t)",
    schema: { type: "string" },
    example: '"key";r=11999;t=42, "guild";r=5999;t=42',
  },
  "Retry-After": { description: "Seconds to wait before the next attempt", schema: { type: "integer", minimum: 0 } },
  ETag: {
    description: "Revision of the resource as a strong entity tag (RFC 9110 section 8.8.3), for If-Match",
    schema: { type: "string" },
  },
  Allow: { description: "The methods of the path", schema: { type: "string" }, example: "POST" },
  "WWW-Authenticate": { description: "The scheme of the API key", schema: { type: "string" }, example: CHALLENGE },
};

/** RateLimit is present after the key was accepted; Retry-After if another attempt may succeed. */
function headersOf(status: number, hasEtag = false): JsonSchema {
  const names = ["X-Request-Id"];
  if (![401, 405, 408, 417, 431].includes(status)) names.push("RateLimit-Policy", "RateLimit");
  if (hasEtag) names.push("ETag");
  if (status === 405) names.push("Allow");
  if (status === 401) names.push("WWW-Authenticate");
  if (status === 429 || status === 503) names.push("Retry-After");
  return headersNamed(names);
}

function headersNamed(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const IDEMPOTENCY_KEY: JsonSchema = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A key that the client chooses for the request. A repeated request with the same key within 24 hours gets the first " +
    "response again, and creates nothing",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** The operation of a probe, which needs no API key. */
function probeOperation(path: string, summary: string): JsonSchema {
  const state = { type: "string", description: "live, ready or not ready" };
  const missing = {
    type: "array",
    items: { type: "string" },
    description: "Names of unavailable services and databases",
  };
  const schema = { type: "object", properties: { status: state, missing }, required: ["status"] };
  const errors = [400, 408, 431].map((status) => [status, { $ref: `#/components/responses/${errorName(status)}` }]);
  return {
    tags: ["health"],
    operationId: path.slice(1).replaceAll("/", "-"),
    summary,
    description: `${summary}.`,
    security: [],
    responses: {
      200: { description: "Live or ready", headers: headersNamed(["X-Request-Id"]), content: json(schema) },
      ...Object.fromEntries(errors),
      503: { description: "Not ready", headers: headersNamed(["X-Request-Id", "Retry-After"]), content: json(schema) },
    },
  };
}

function json(schema: JsonSchema, example?: object): JsonSchema {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

function codesOf(status: number): string[] {
  return Object.keys(ALL_ERRORS).filter((code) => ALL_ERRORS[code]?.status === status);
}

function errorName(status: number): string {
  return `Error${status}`;
}

function errorResponse(status: number, components: Components): JsonSchema {
  const codes = codesOf(status);
  const description = codes.map((code) => `\`${code}\`: ${ALL_ERRORS[code]?.message}`).join("\n\n");
  const bodyDescription = `Body of an error with the status ${status} (${STATUS_CODES[status]}).`;
  const schema = components.add(errorSchema(codes, status === 400), errorName(status), bodyDescription);
  return { description, headers: headersOf(status), content: json(schema) };
}

/** The body of an error (D4). */
function errorSchema(codes: readonly string[], hasFields: boolean): JsonSchema {
  const text = { type: "string" };
  return {
    type: "object",
    properties: {
      message: text,
      code: { type: "string", enum: codes },
      request_id: text,
      ...(hasFields ? { errors: { type: "array", items: FIELD_PROBLEM } } : {}),
    },
    required: ["message", "code", "request_id", ...(hasFields ? ["errors"] : [])],
  };
}

const FIELD_PROBLEM: JsonSchema = {
  title: "FieldProblem",
  type: "object",
  properties: {
    field: { type: "string" },
    code: { type: "string" },
    message: { type: "string" },
    allowed: { type: "array", items: { type: "string" } },
  },
  required: ["field", "code", "message"],
};
