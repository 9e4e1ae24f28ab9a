import { compile, type JSONSchema } from "json-schema-to-typescript-lite";
import { openapiText } from "../../services/api/openapi/openapi-document.ts";
import { IMPORT_PATH } from "../../services/api/imports/calendar-import.ts";
import { DRY_RUN, type Route } from "../../services/api/route.ts";
import { ROUTES } from "../../services/api/route-table.ts";
import { formatSource } from "./format-source.ts";

/** The parts of the API document that this file reads. */
interface ApiDocument {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, JSONSchema>> };
}

interface Operation {
  readonly requestBody: { readonly content: JsonContent };
  readonly responses: { readonly 200: { readonly content: JsonContent } };
}

type JsonContent = { readonly "application/json": { readonly schema: JSONSchema } };

const ORIGIN = "the API document of services/api";

/** The generated modules of clients/http/src, by name. */
export async function httpSources(): Promise<Readonly<Record<string, string>>> {
  return {
    "api-types.ts": await formatSource(ORIGIN, await apiTypes()),
    "operations.ts": await formatSource(ORIGIN, operationTable()),
  };
}

/** The types of the bodies, and `Operations` with the types of each path. */
async function apiTypes(): Promise<string> {
  const { paths, components } = JSON.parse(openapiText(ROUTES), (_key, value: unknown) =>
    asJsonSchema(value),
  ) as ApiDocument;
  // The client sends the field by a method of its own, because the response is another one.
  for (const route of ROUTES) delete requestProperties(paths, components.schemas, route)[DRY_RUN];
  const errors = Object.keys(components.schemas).filter((name) => /^Error\d+$/.test(name));
  const schema: JSONSchema = {
    description: "The operations of the API by their paths: bodies, and headers that have a meaning there.",
    ...objectOf(Object.fromEntries(ROUTES.map((route) => [route.paths[0], operationSchema(route, paths)]))),
    definitions: {
      ...components.schemas,
      CalendarImport: paths[IMPORT_PATH]!.post!.responses[200].content["application/json"].schema,
      ErrorBody: { anyOf: errors.map((name) => ({ $ref: `#/definitions/${name}` })) },
    },
  };
  return compile(schema, "Operations", {
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    unreachableDefinitions: true,
  });
}

/** The properties of the body of a route's request. */
function requestProperties(
  paths: ApiDocument["paths"],
  schemas: ApiDocument["components"]["schemas"],
  { paths: [path] }: Route,
): Record<string, JSONSchema> {
  const { $ref = "" } = paths[path]!.post!.requestBody.content["application/json"].schema;
  return schemas[$ref.split("/").at(-1)!]?.properties ?? {};
}

function operationSchema(route: Route, paths: ApiDocument["paths"]): JSONSchema {
  const { requestBody, responses } = paths[route.paths[0]]!.post!;
  const response = responses[200].content["application/json"].schema;
  return objectOf({
    request: requestBody.content["application/json"].schema,
    response: response.anyOf?.[0] ?? response,
    ...Object.fromEntries(Object.entries(traitsOf(route)).map(([trait, value]) => [trait, { const: value }])),
  });
}

function objectOf(properties: Readonly<Record<string, JSONSchema>>): JSONSchema {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** The properties of a route that determine how the client sends and repeats a request. */
function traitsOf({
  contract,
  acceptsIdempotencyKey,
  acceptsIfMatch,
  hasEtag,
  fields,
  pages,
  dryRun,
}: Route): Readonly<Record<string, boolean | string>> {
  const cursor = [...fields, ...(pages?.fields ?? [])].find(({ wire }) => wire === "cursor" || wire === "before");
  const isRead = contract.keys.endsWith("read");
  const acceptsDryRun = dryRun !== undefined;
  return { isRead, acceptsIdempotencyKey, acceptsIfMatch, acceptsDryRun, hasEtag, cursorField: cursor?.wire ?? false };
}

/** The source of `OPERATIONS`: the same properties as values. */
function operationTable(): string {
  const table = Object.fromEntries(ROUTES.map((route) => [route.paths[0], traitsOf(route)]));
  return `import type { Operations } from "./api-types.ts";

/** The properties of each operation that determine how the client sends and repeats its request. */
export const OPERATIONS: {
  readonly [Path in keyof Operations]: Omit<Operations[Path], "request" | "response">;
} = ${JSON.stringify(table)};
`;
}

/**
 * Adapts the schemas of OpenAPI 3.1, which are JSON Schema 2020-12, to the generator. The generator reads `definitions`,
 * generates a second type for a reference with a description, and has no 64-bit integers. Ids of guilds become the types of
 * the client: it accepts strings or bigints, and returns strings.
 */
function asJsonSchema(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (isGuildIdToSend(value)) return { description: value["description"], tsType: "(string | bigint)" };
  if (isObject(value["guild_id"]) && value["guild_id"]["type"] === "integer") {
    const description =
      "Id of the guild. The response has it as a 64-bit integer; the client gives its digits as a string.";
    return { ...value, guild_id: { type: "string", description } };
  }
  const { $ref, ...others } = value;
  if (typeof $ref !== "string") return value;
  const reference = { $ref: $ref.replace("#/components/schemas/", "#/definitions/") };
  return Object.keys(others).length === 0 ? reference : { ...others, allOf: [reference] };
}

function isGuildIdToSend({ oneOf }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(oneOf) && oneOf.some((schema) => isObject(schema) && schema["format"] === "int64");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
