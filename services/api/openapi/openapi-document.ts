import { STATUS_CODES } from "node:http";
import { ERRORS, HTTP_ERRORS } from "../../contracts/errors.ts";
import { VERSION } from "../../contracts/version.ts";
import { CHALLENGE } from "../http/http-response.ts";
import { type JsonSchema, objectOf } from "../wire/response-fields.ts";
import { Components, pascal } from "./openapi-components.ts";
import { requestSchema } from "./openapi-schemas.ts";
import { FEED_OPERATION } from "./feed-operation.ts";
import { HEALTH_PATHS } from "../pages/health.pages.ts";
import type { Route } from "../route.ts";
import { WARNINGS_SCHEMA } from "../wire/warnings.ts";

const ABOUT = `Calendar events, announcements of these events, and the settings of guilds (chat communities).

Every operation but the feed of a calendar is a POST with a JSON object of at most 64 KiB. Unknown fields are ignored, and named in
\`warnings\` of the answer. Every path also exists under
\`/api\`. A request that is refused with a 4xx or with the 503 UNAVAILABLE has changed nothing; after a 500, or the 503
OUTCOME_UNKNOWN, a write may have been done. After the time in the Retry-After of OUTCOME_UNKNOWN it can no longer be done.

All times are Unix milliseconds in UTC. Guild ids are 64-bit integers: send them as strings where numbers lose digits,
as they do in JavaScript. This document is also at [openapi.json](/openapi.json).`;

/** What a call can be refused with; a 405 for another method on its path. */
const STATUSES = [400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 417, 429, 431, 500, 503];
const ALL_ERRORS: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  ...ERRORS,
  ...HTTP_ERRORS,
};

const TAGS: Readonly<Record<string, string>> = {
  "v2 guild": "Settings of a guild",
  "v1 guild": "Settings of a guild, as version 1 names them",
  "v2 calendar": "Calendars of a guild, and the time zones that their series run on",
  "v2 events": "Events, series of events, and their occurrences",
  "v1 announcement": "Announcements of events, the posts that are planned, and what became of each",
  "admin keys": "API keys; for keys of the kind operator",
  health: "Probes for an orchestrator; no key",
};

/** The OpenAPI 3.1 document of a route table. */
function apiDocument(routes: readonly Route[]): object {
  const components = new Components();
  const paths = {
    ...Object.fromEntries(routes.map((route) => [route.paths[0], { post: operation(route, components) }])),
    ...FEED_OPERATION,
    ...Object.fromEntries(
      Object.entries(HEALTH_PATHS).map(([path, summary]) => [path, { get: lookUp(path, summary) }]),
    ),
  };
  const responses = Object.fromEntries(
    STATUSES.map((status) => [errorName(status), errorResponse(status, components)]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Guildcal",
      version: VERSION,
      description: ABOUT,
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

/** The document as it is committed and served; the ids in its examples have every digit. */
export function openapiText(routes: readonly Route[]): string {
  return `${JSON.stringify(apiDocument(routes), null, 2)}\n`;
}

/** `/v1/announcement/get` belongs to `v1 announcement`. */
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
    objectOf(route.answer, route.answerName),
    `${name}Response`,
    `Body of an answer of \`${path}\` with the status 200. ${route.summary}.`,
  );
  const response = { allOf: [fields, components.add(WARNED, "Warned")] };
  const also = aliases.length === 0 ? "" : ` Also at ${aliases.map((alias) => `\`${alias}\``).join(", ")}.`;
  return {
    tags: [tagOf(route)],
    operationId: path.slice(1).replaceAll("/", "-"),
    summary: route.summary,
    description: `${route.description ?? `${route.summary}.`}${also}`,
    ...parametersOf(route),
    requestBody: { required: true, content: json(request, route.example.request) },
    responses: {
      200: {
        description: "Done",
        headers: headersOf(200, route.hasEtag),
        content: json(response, route.example.response),
      },
      ...Object.fromEntries(
        STATUSES.filter((status) => status !== 412 || route.takesIfMatch).map((status) => [
          status,
          { $ref: `#/components/responses/${errorName(status)}` },
        ]),
      ),
    },
  };
}

/** Warnings come after the fields of the answer, and only where there are any (D37). */
const WARNED: JsonSchema = { type: "object", properties: { warnings: WARNINGS_SCHEMA } };

function parametersOf(route: Route): { parameters?: JsonSchema[] } {
  const parameters = [...(route.takesIdempotencyKey ? [idempotencyKey] : []), ...(route.takesIfMatch ? [ifMatch] : [])];
  return parameters.length === 0 ? {} : { parameters };
}

const ifMatch: JsonSchema = {
  name: "If-Match",
  in: "header",
  description:
    "The ETag that the resource was read with, or at most 20 of them: when the resource has another revision, the " +
    "answer is 412 REVISION_MISMATCH and nothing is changed",
  schema: { type: "string" },
};

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  "X-Request-Id": {
    description: "Id of the request, as in errors and in the service's log",
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description: "The limits that apply, in requests (q) per window in seconds (w)",
    schema: { type: "string" },
    example: '"key";q=12000;w=60, "guild";q=6000;w=60',
  },
  RateLimit: {
    description: "What is left of each limit (r), and the seconds until its window ends (t)",
    schema: { type: "string" },
    example: '"key";r=11999;t=42, "guild";r=5999;t=42',
  },
  "Retry-After": { description: "Seconds to wait before another try", schema: { type: "integer", minimum: 0 } },
  ETag: {
    description: "Revision of the resource as a strong entity tag (RFC 9110 section 8.8.3), for If-Match",
    schema: { type: "string" },
  },
  Allow: { description: "The methods of the path", schema: { type: "string" }, example: "POST" },
  "WWW-Authenticate": { description: "The scheme of the API key", schema: { type: "string" }, example: CHALLENGE },
};

/** RateLimit stands where the key was accepted; Retry-After where another try may succeed. */
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

const idempotencyKey: JsonSchema = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Name of the request, chosen by the client: a repeat within 24 hours is answered as the first was, and creates nothing",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** A probe; it needs no key. */
function lookUp(path: string, summary: string): JsonSchema {
  const state = { type: "string", description: "live, ready or not ready" };
  const missing = { type: "array", items: { type: "string" }, description: "Names of what is missing" };
  const schema = { type: "object", properties: { status: state, missing }, required: ["status"] };
  const refused = [400, 408, 431].map((status) => [status, { $ref: `#/components/responses/${errorName(status)}` }]);
  return {
    tags: ["health"],
    operationId: path.slice(1).replaceAll("/", "-"),
    summary,
    description: `${summary}.`,
    security: [],
    responses: {
      200: { description: "Yes", headers: headersNamed(["X-Request-Id"]), content: json(schema) },
      ...Object.fromEntries(refused),
      503: { description: "No", headers: headersNamed(["X-Request-Id", "Retry-After"]), content: json(schema) },
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
  const meaning = `Body of an error with the status ${status} (${STATUS_CODES[status]}).`;
  const schema = components.add(errorSchema(codes, status === 400), errorName(status), meaning);
  return { description, headers: headersOf(status), content: json(schema) };
}

/** D4. */
function errorSchema(codes: readonly string[], namesFields: boolean): JsonSchema {
  const text = { type: "string" };
  return {
    type: "object",
    properties: {
      message: text,
      code: { type: "string", enum: codes },
      request_id: text,
      ...(namesFields ? { errors: { type: "array", items: fieldProblem } } : {}),
    },
    required: ["message", "code", "request_id", ...(namesFields ? ["errors"] : [])],
  };
}

const fieldProblem: JsonSchema = {
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
