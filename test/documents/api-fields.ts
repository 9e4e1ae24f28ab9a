import { table } from "./generated-blocks.ts";

/** The members of an OpenAPI schema that the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | null)[];
  readonly const?: string | boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  /** The response of a write, and that of its dry run. */
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export type Schemas = Readonly<Record<string, Schema>>;

/** Sections of docs/api.md that describe a schema. Other places link to them. */
export const SECTIONS: Readonly<Record<string, string>> = {
  Announcement: "[announcement](#21-announcement-v1)",
  ListedAnnouncement: "[announcement](#21-announcement-v1), with its `id`",
  GuildSettings: "[settings](#22-guild-settings-v2)",
  GuildSettingsV1: "[settings](#23-guild-settings-v1)",
  Event: "[event](#24-event-v2)",
  Calendar: "[calendar](#25-calendar-v2)",
  Message: "message, as Discord takes it",
};

/** Maximum number of values that are listed in place. Only the enumeration of an event's color is longer. */
const MAX_VALUES_IN_PLACE = 6;

/** The table of a request's fields, with the required ones. */
export function requestTable(schema: Schema, schemas: Schemas): string {
  const rows = fieldRows(schema, schemas, "").map(({ name, type, field, isRequired }) => [
    `\`${name}\``,
    type,
    isRequired ? "yes" : defaultOf(field),
    meaningOf(field),
  ]);
  return table(["request field", "type", "required", "meaning"], rows);
}

/** The table of a response's fields. */
export function responseTable(schema: Schema, schemas: Schemas): string {
  const rows = fieldRows(schema, schemas, "").map(({ name, type, field, isRequired }) => [
    `\`${name}\``,
    type,
    `${meaningOf(field)}${isRequired ? "" : " May be absent."}`,
  ]);
  return table(["field", "type", "meaning"], rows);
}

interface FieldRow {
  readonly name: string;
  readonly type: string;
  readonly field: Schema;
  readonly isRequired: boolean;
}

/** A row for each field; the fields of an object follow it under its name, such as `recurrence.count`. */
function fieldRows(schema: Schema, schemas: Schemas, prefix: string): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([wire, field]) => {
    const name = `${prefix}${wire}`;
    const isRequired = schema.required?.includes(wire) === true;
    const row: FieldRow = { name, type: typeOf(field), field, isRequired };
    const inner = innerOf(field);
    if (inner === undefined || SECTIONS[inner.component] !== undefined) return [row];
    return [row].concat(fieldRows(schemas[inner.component]!, schemas, `${name}${inner.suffix}.`));
  });
}

/** The component to which a field or the entries of its list refer. */
function innerOf({ $ref, items, oneOf }: Schema): { readonly component: string; readonly suffix: string } | undefined {
  const reference = $ref ?? oneOf?.find((option) => option.$ref !== undefined)?.$ref;
  if (reference !== undefined) return { component: nameIn(reference), suffix: "" };
  const entry = items === undefined ? undefined : innerOf(items);
  return entry === undefined ? undefined : { ...entry, suffix: "[]" };
}

export function nameIn(reference: string): string {
  return reference.split("/").at(-1)!;
}

function typeOf(field: Schema): string {
  if (field.items !== undefined) return `list of ${plural(typeOf(field.items))}${atMost(field.maxItems)}`;
  const inner = innerOf(field);
  if (inner !== undefined) return SECTIONS[inner.component] ?? "object";
  if (field.oneOf !== undefined) return field.oneOf.map(({ type }) => String(type)).join(" or ");
  const name = [field.type ?? "any"].flat().find((type) => type !== "null") ?? "any";
  return name === "integer" ? `integer${rangeOf(field)}` : name;
}

function plural(type: string): string {
  const [name = "", ...rest] = type.split(/(?=\]|,)/);
  return [`${name}s`, ...rest].join("");
}

function atMost(most: number | undefined): string {
  return most === undefined ? "" : `, at most ${most}`;
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum === undefined || maximum === undefined) return "";
  return `, ${minimum} to ${maximum}`;
}

function defaultOf({ default: value }: Schema): string {
  return value === undefined ? "no" : `no; default \`${JSON.stringify(value)}\``;
}

function meaningOf({ description = "", enum: values, const: fixed }: Schema): string {
  if (fixed !== undefined) return `${description} Always \`${JSON.stringify(fixed)}\`.`;
  if (values === undefined) return description;
  const names = values.filter((value) => value !== null);
  const said = names.filter((name) => !description.includes(name));
  if (said.length === 0) return description;
  if (names.length > MAX_VALUES_IN_PLACE && names.includes("MELROSE")) return `${description} A [color](#colors).`;
  return `${description} One of ${names.map((name) => `\`${name}\``).join(", ")}.`;
}
