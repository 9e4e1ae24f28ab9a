import { openapiText } from "../../services/api/openapi/openapi-document.ts";
import type { Route } from "../../services/api/route.ts";
import { ROUTES } from "../../services/api/route-table.ts";
import { COLORS } from "../../services/contracts/calendar-events.contract.ts";
import { CHANGE_REASONS, IMPORT_REASON_TEXTS, SKIP_REASONS } from "../../services/contracts/event-import.contract.ts";
import { ERRORS, HTTP_ERRORS } from "../../services/contracts/errors.ts";
import { responseTable, nameIn, requestTable, type Schema, type Schemas, SECTIONS } from "./api-fields.ts";
import { type Blocks, table } from "./generated-blocks.ts";

interface Operation {
  readonly requestBody: { readonly content: JsonContent };
  readonly responses: { readonly 200: { readonly content: JsonContent } };
}

type JsonContent = { readonly "application/json": { readonly schema: Schema } };

interface ApiDocument {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Schemas };
}

const { paths, components } = JSON.parse(openapiText(ROUTES)) as ApiDocument;

/** Resources with their own table. */
const RESOURCES = ["Announcement", "GuildSettings", "GuildSettingsV1", "Event", "Calendar"];

/** Groups of endpoints, by their path or its beginning. */
const GROUPS = [
  "/v1/announcement",
  "/v1/guild/settings",
  "/v2/guild/settings",
  "/v2/events",
  "/v2/calendar",
  "/v2/changes",
  "/v2/plan",
  "/v2/webhooks",
  "/admin/keys",
];

/** All generated blocks of docs/api.md. */
export function apiBlocks(): Blocks {
  const resources = RESOURCES.map((name) => [name, responseTable(components.schemas[name]!, components.schemas)]);
  const groups = GROUPS.map((group) => [group.slice(1), endpointsOf(group)]);
  return {
    ...(Object.fromEntries([...resources, ...groups]) as Blocks),
    colors: COLORS.map((color) => `\`${color}\``).join(", "),
    errors: errorsTable(),
    import: importReasons(),
  };
}

/** The reasons of an import's report. */
function importReasons(): string {
  const rows = [
    ...SKIP_REASONS.map((reason) => [reason, "skipped"] as const),
    ...CHANGE_REASONS.map((reason) => [reason, "changed"] as const),
  ].map(([reason, outcome]) => [`\`${reason}\``, outcome, IMPORT_REASON_TEXTS[reason]]);
  return table(["reason", "outcome", "the VEVENT"], rows);
}

function endpointsOf(group: string): string {
  const routes = ROUTES.filter(({ paths: [path] }) => path === group || path.startsWith(`${group}/`));
  if (routes.length === 0) throw new Error(`no endpoint at or below ${group}`);
  return routes.map(endpoint).join("\n\n");
}

function endpoint(route: Route): string {
  const [path, ...aliases] = route.paths;
  const { requestBody, responses } = paths[path]!.post!;
  const also = aliases.length === 0 ? "" : ` Also at ${aliases.map((alias) => `\`${alias}\``).join(", ")}.`;
  return [
    `#### ${path}`,
    [`${route.summary}.${also}`, route.description].filter((text) => text !== undefined).join(" "),
    `${KEYS[route.contract.keys]}${headersOf(route)}`,
    requestTable(referred(requestBody.content["application/json"].schema), components.schemas),
    responseOf(responses[200].content["application/json"].schema),
    `Request:\n\n${json(route.example.request)}`,
    `Response:\n\n${json(route.example.response)}`,
  ].join("\n\n");
}

const KEYS: Readonly<Record<Route["contract"]["keys"], string>> = {
  "guild read": "Any key of the guild.",
  "guild write": "A key of the guild that may write.",
  "operator read": "An operator key.",
  "operator write": "An operator key that may write.",
  none: "",
};

function headersOf({ acceptsIdempotencyKey: once, acceptsIfMatch, hasEtag }: Route): string {
  const headers = [...(once ? ["`Idempotency-Key`"] : []), ...(acceptsIfMatch ? ["`If-Match`"] : [])];
  const accepts = headers.length === 0 ? "" : ` Accepts ${headers.join(" and ")}.`;
  return `${accepts}${hasEtag ? " Returns an `ETag`." : ""}`;
}

function responseOf(schema: Schema): string {
  const [written = schema] = schema.anyOf ?? [];
  const [fields] = written.allOf ?? [written];
  const section = SECTIONS[nameIn(fields?.$ref ?? "")];
  return section === undefined
    ? responseTable(referred(fields!), components.schemas)
    : `The response is the ${section}.`;
}

function referred({ $ref, ...schema }: Schema): Schema {
  return $ref === undefined ? schema : components.schemas[nameIn($ref)]!;
}

/** An example in which ids have all their digits. */
function json(value: object): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function errorsTable(): string {
  const rows = Object.entries({ ...ERRORS, ...HTTP_ERRORS })
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, message }]) => [String(status), `\`${code}\``, message]);
  return table(["status", "code", "message"], rows);
}
