import type { JsonSchema } from "../wire/response-fields.ts";
import { FIELD_DESCRIPTIONS } from "./field-descriptions.ts";
import { SCHEMA_DESCRIPTIONS } from "./schema-descriptions.ts";

/** What a schema says of a field before the general description: its form, or that its case does not matter. */
function described(component: string, wire: string, schema: JsonSchema): JsonSchema {
  // The errors of all statuses (Error400, Error401 …) have the same fields.
  const family = component.replace(/[0-9]+$/, "");
  const meaning = FIELD_DESCRIPTIONS[`${family}.${wire}`] ?? FIELD_DESCRIPTIONS[wire];
  if (meaning === undefined) throw new Error(`no description of the field ${wire} of ${component}`);
  const { description } = schema as { readonly description?: string };
  return { ...schema, description: description === undefined ? meaning : `${meaning} ${description}.` };
}

/** The named schemas of the document: every object schema becomes one, and is referred to by its name. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  /**
   * A reference to the schema under its title, or else under `name`; the objects within it become components, too.
   * Throws for a schema or a field without a description, and for two schemas of one name.
   *
   * @param meaning - What the schema is, where it has no description under its name.
   */
  add(schema: JsonSchema, name: string, meaning?: string): JsonSchema {
    const { title, ...rest } = schema as JsonSchema & { readonly title?: string };
    const component = title ?? name;
    const description = SCHEMA_DESCRIPTIONS[component] ?? meaning;
    if (description === undefined) throw new Error(`no description of the schema ${component}`);
    const properties = Object.entries(rest["properties"] as Record<string, JsonSchema>).map(([wire, property]) => {
      const within = this.#withReferences(property, `${component}${pascal(wire)}`);
      return [wire, described(component, wire, within)];
    });
    const named = { description, ...rest, properties: Object.fromEntries(properties) as JsonSchema };
    const known = this.#schemas.get(component);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(named)) {
      throw new Error(`two schemas are called ${component}`);
    }
    this.#schemas.set(component, named);
    return { $ref: `#/components/schemas/${component}` };
  }

  /** An array's items and an object's own schema, replaced by references; null stays allowed beside an object. */
  #withReferences(schema: JsonSchema, name: string): JsonSchema {
    if (schema["items"] !== undefined) {
      return { ...schema, items: this.#withReferences(schema["items"] as JsonSchema, `${name}Item`) };
    }
    if (schema["properties"] === undefined) return schema;
    const { type, default: standard, ...object } = schema;
    const reference = this.add({ type: "object", ...object }, name);
    const also = standard === undefined ? {} : { default: standard };
    return Array.isArray(type) ? { oneOf: [reference, { type: "null" }], ...also } : { ...reference, ...also };
  }
}

/** `/v2/events/list/month` is `V2EventsListMonth`, `is_parent` is `IsParent`. */
export function pascal(text: string): string {
  return text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
