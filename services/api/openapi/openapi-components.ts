import type { JsonSchema } from "../wire/response-fields.ts";
import { FIELD_DESCRIPTIONS } from "./field-descriptions.ts";
import { SCHEMA_DESCRIPTIONS } from "./schema-descriptions.ts";

/** Adds the description of a field to its schema, before a description that the schema has already, such as its form. */
function describeField(component: string, wire: string, schema: JsonSchema): JsonSchema {
  // The errors of all statuses (Error400, Error401 …) have the same fields.
  const family = component.replace(/[0-9]+$/, "");
  const text = FIELD_DESCRIPTIONS[`${family}.${wire}`] ?? FIELD_DESCRIPTIONS[wire];
  if (text === undefined) throw new Error(`no description of the field ${wire} of ${component}`);
  const { description } = schema as { readonly description?: string };
  return { ...schema, description: description === undefined ? text : `${text} ${description}.` };
}

/** The named schemas of the document. Every object schema becomes one, and is referenced by its name. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  /**
   * Adds a schema under its title, or under `name` without a title, and its nested objects; returns a reference to it.
   * Throws for a schema or a field without a description, and for two schemas with the same name.
   *
   * @param fallback - Description of a schema that SCHEMA_DESCRIPTIONS does not contain.
   */
  add(schema: JsonSchema, name: string, fallback?: string): JsonSchema {
    const { title, ...rest } = schema as JsonSchema & { readonly title?: string };
    const component = title ?? name;
    const description = SCHEMA_DESCRIPTIONS[component] ?? fallback;
    if (description === undefined) throw new Error(`no description of the schema ${component}`);
    const properties = Object.entries(rest["properties"] as Record<string, JsonSchema>).map(([wire, property]) => {
      const referenced = this.#withReferences(property, `${component}${pascal(wire)}`);
      return [wire, describeField(component, wire, referenced)];
    });
    const named = { description, ...rest, properties: Object.fromEntries(properties) as JsonSchema };
    const existing = this.#schemas.get(component);
    if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(named)) {
      throw new Error(`two schemas have the name ${component}`);
    }
    this.#schemas.set(component, named);
    return { $ref: `#/components/schemas/${component}` };
  }

  /** Replaces an object schema, or that of an array's items, by a reference; a nullable object stays nullable. */
  #withReferences(schema: JsonSchema, name: string): JsonSchema {
    if (schema["items"] !== undefined) {
      return { ...schema, items: this.#withReferences(schema["items"] as JsonSchema, `${name}Item`) };
    }
    if (schema["properties"] === undefined) return schema;
    const { type, default: defaultValue, ...object } = schema;
    const reference = this.add({ type: "object", ...object }, name);
    const withDefault = defaultValue === undefined ? {} : { default: defaultValue };
    return Array.isArray(type)
      ? { oneOf: [reference, { type: "null" }], ...withDefault }
      : { ...reference, ...withDefault };
  }
}

/** `/v2/events/list/month` becomes `V2EventsListMonth`, `is_parent` becomes `IsParent`. */
export function pascal(text: string): string {
  return text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
