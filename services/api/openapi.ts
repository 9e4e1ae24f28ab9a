import { ERRORS, HTTP_ERRORS } from "../contracts/errors.ts";
import { type JsonSchema, objectOf } from "./answer-fields.ts";
import { requestSchema } from "./openapi-schemas.ts";
import { HEALTH_PATHS } from "./health.pages.ts";
import type { Route } from "./route.ts";

const ABOUT = `Calendar events, announcements of them, and the settings of guilds.

Every endpoint is a POST with a JSON object of at most 64 KiB; fields that it does not know are ignored. Each path is
there under \`/api\` as well. What is refused with a 4xx or the 503 UNAVAILABLE has changed nothing; a 500, or the 503
OUTCOME_UNKNOWN, on a write means that it may have been done.

The OpenAPI document of it all is [openapi.json](/openapi.json). Guild ids have 64 bits: send them as text where your JSON's numbers lose digits (JavaScript's do).`;

/** What a call can be refused with; the path and the method of a documented one are right. */
const STATUSES = [400, 401, 403, 404, 408, 409, 412, 413, 415, 417, 429, 431, 500, 503];
const ALL_ERRORS: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  ...ERRORS,
  ...HTTP_ERRORS,
};

/** The OpenAPI 3.1 document of a route table. */
function apiDocument(routes: readonly Route[]): object {
  return {
    openapi: "3.1.0",
    info: { title: "Guildcal", version: "1.0.0", description: ABOUT, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/" }],
    security: [{ key: [] }],
    tags: [...new Set(routes.map(tagOf)), "health"].map((name) => ({ name })),
    paths: {
      ...Object.fromEntries(routes.map((route) => [route.paths[0], { post: operation(route) }])),
      ...Object.fromEntries(Object.entries(HEALTH_PATHS).map(([path, summary]) => [path, { get: lookUp(summary) }])),
    },
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer", description: "An API key" } },
      schemas: { Error: errorSchema(Object.keys(ALL_ERRORS)) },
      responses: Object.fromEntries(STATUSES.map((status) => [nameOf(status), errorResponse(status)])),
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

function operation(route: Route): JsonSchema {
  const [path, ...aliases] = route.paths;
  return {
    tags: [tagOf(route)],
    operationId: path.slice(1).replaceAll("/", "-"),
    summary: route.summary,
    ...(aliases.length === 0 ? {} : { description: `Also at ${aliases.map((alias) => `\`${alias}\``).join(", ")}.` }),
    ...parametersOf(route),
    requestBody: { required: true, content: json(requestSchema(route), route.example.request) },
    responses: {
      200: {
        description: "Done",
        ...(route.hasEtag ? { headers: { ETag: etag } } : {}),
        content: json(objectOf(route.answer), route.example.response),
      },
      ...Object.fromEntries(
        STATUSES.filter((status) => status !== 412 || route.takesIfMatch).map((status) => [
          status,
          { $ref: `#/components/responses/${nameOf(status)}` },
        ]),
      ),
    },
  };
}

function parametersOf(route: Route): { parameters?: JsonSchema[] } {
  const parameters = [...(route.once ? [idempotencyKey] : []), ...(route.takesIfMatch ? [ifMatch] : [])];
  return parameters.length === 0 ? {} : { parameters };
}

const etag: JsonSchema = {
  description: "The revision of the resource as a strong entity tag (RFC 9110 section 8.8.3), for If-Match",
  schema: { type: "string" },
};

const ifMatch: JsonSchema = {
  name: "If-Match",
  in: "header",
  description:
    "The ETag that the resource was read with, or at most 20 of them: if the resource has another revision by now, the " +
    "answer is 412 REVISION_MISMATCH and nothing is changed",
  schema: { type: "string" },
};

const idempotencyKey: JsonSchema = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A name of your own for this request: sent again within 24 hours, it is answered again and not done again",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** A page for everybody; no key. */
function lookUp(summary: string): JsonSchema {
  const content = json({ type: "object" });
  return {
    tags: ["health"],
    summary,
    security: [],
    responses: { 200: { description: "Yes", content }, 503: { description: "No", content } },
  };
}

function json(schema: JsonSchema, example?: object): JsonSchema {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

function codesOf(status: number): string[] {
  return Object.keys(ALL_ERRORS).filter((code) => ALL_ERRORS[code]?.status === status);
}

function nameOf(status: number): string {
  return `Error${status}`;
}

function errorResponse(status: number): JsonSchema {
  const codes = codesOf(status);
  const description = codes.map((code) => `\`${code}\`: ${ALL_ERRORS[code]?.message}`).join("\n\n");
  return { description, content: json(errorSchema(codes, status === 400)) };
}

/** D4. */
function errorSchema(codes: readonly string[], namesFields = false): JsonSchema {
  const text = { type: "string" };
  return {
    type: "object",
    properties: {
      message: text,
      code: { type: "string", enum: codes },
      request_id: { type: "string", description: "Also in the header X-Request-Id, and in the service's log" },
      errors: { type: "array", description: "Every field that is wrong", items: fieldProblem },
    },
    required: ["message", "code", "request_id", ...(namesFields ? ["errors"] : [])],
  };
}

const fieldProblem: JsonSchema = {
  type: "object",
  properties: {
    field: {
      type: "string",
      description: "Its path in the request, such as recurrence.count; body for one that can't be read as JSON",
    },
    code: { type: "string" },
    message: { type: "string" },
    allowed: {
      type: "array",
      items: { type: "string" },
      description: "What would be accepted, where it can be listed",
    },
  },
  required: ["field", "code", "message"],
};
