import type { JsonSchema } from "../wire/response-fields.ts";
import { jsonInteger } from "../wire/exact-json.ts";
import type { Route } from "../route.ts";
import type { RequestField } from "../wire/request-fields.ts";

/** A rule of services/contracts/field-rules.ts, with the properties that a schema needs. */
interface Rule {
  readonly type: string;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly notEqual?: number;
  readonly enum?: readonly string[];
  readonly documented?: readonly string[];
  /** The value that the owner uses for an absent field. */
  readonly documentedDefault?: unknown;
  readonly form?: { readonly max: number; readonly hint?: string; readonly pattern?: RegExp };
  /** Range of a 64-bit integer that may also be a JSON number. */
  readonly int64?: { readonly min: string; readonly max: string };
  readonly item?: Rule;
  /** The rule of each object in a list. */
  readonly items?: Rule;
  readonly props?: Readonly<Record<string, Rule>>;
  /** Whether unknown members of an object are refused. */
  readonly strict?: boolean;
  /** Name of the schema of an object. */
  readonly title?: string;
}

type Rules = Readonly<Record<string, Rule>>;

const MAX_INT32 = 2_147_483_647;

/** The JSON Schema of a route's request, from its fields and their rules. A request for a page may omit some fields. */
export function requestSchema({ pages, ...list }: RequestDefinition): JsonSchema {
  const whole = fieldsSchema(list);
  if (pages === undefined) return whole;
  const page = fieldsSchema(pages);
  return {
    ...whole,
    properties: { ...whole.properties, ...page.properties },
    required: whole.required.filter((name) => page.required.includes(name)),
  };
}

type RequestDefinition = Pick<Route, "fields" | "shape" | "nullsAreAbsent" | "pages">;

function fieldsSchema({ fields, shape, nullsAreAbsent }: Omit<RequestDefinition, "pages">) {
  return objectSchema({ fields, rules: shape.params, nullsAreAbsent });
}

interface ObjectDefinition {
  readonly fields: readonly RequestField[];
  readonly rules: Rules;
  readonly nullsAreAbsent: boolean;
}

type ObjectSchema = Readonly<Record<"properties", JsonSchema> & Record<"required", readonly string[]>> & JsonSchema;

function objectSchema({ fields, rules, nullsAreAbsent }: ObjectDefinition): ObjectSchema {
  const fieldsWithRules = fields.map((field) => ({ field, rule: ruleOf(field, rules) }));
  const required = fieldsWithRules.filter(
    ({ field, rule }) => rule.optional !== true && field.defaultValue === undefined,
  );
  return {
    type: "object",
    properties: Object.fromEntries(
      fieldsWithRules.map(({ field, rule }) => [field.wire, fieldSchema(field, rule, nullsAreAbsent)]),
    ),
    required: required.map(({ field }) => field.wire),
  };
}

function ruleOf({ wire, param }: RequestField, rules: Rules): Rule {
  const rule = rules[param];
  if (rule === undefined) throw new Error(`no rule for the field ${wire}`);
  return rule;
}

function fieldSchema(field: RequestField, rule: Rule, nullsAreAbsent: boolean): JsonSchema {
  const schema = valueSchema(field, rule, nullsAreAbsent);
  const mayBeNull = rule.nullable === true || (nullsAreAbsent && rule.optional === true);
  const defaultValue = field.defaultValue ?? rule.documentedDefault;
  return { ...(mayBeNull ? orNull(schema) : schema), ...(defaultValue === undefined ? {} : { default: defaultValue }) };
}

/** Allows null; its meaning follows from the field's rule or the route (D6). */
function orNull(schema: JsonSchema): JsonSchema {
  const names = schema["enum"] as readonly string[] | undefined;
  return { ...schema, type: [schema["type"], "null"], ...(names === undefined ? {} : { enum: [...names, null] }) };
}

function valueSchema(field: Pick<RequestField, "fields">, rule: Rule, nullsAreAbsent: boolean): JsonSchema {
  if (rule.int64 !== undefined) return { oneOf: [int64Schema(rule.int64), textSchema(rule)] };
  switch (rule.type) {
    case "string":
      return textSchema(rule);
    case "number":
      return integerSchema(rule);
    case "boolean":
      return { type: "boolean" };
    case "array":
      return {
        type: "array",
        ...(rule.min === undefined ? {} : { minItems: rule.min }),
        maxItems: rule.max,
        items: valueSchema(field, rule.item ?? rule.items ?? { type: "string" }, nullsAreAbsent),
      };
    case "object":
      return {
        ...(rule.title === undefined ? {} : { title: rule.title }),
        ...objectSchema({ fields: field.fields ?? [], rules: rule.props ?? {}, nullsAreAbsent }),
        additionalProperties: rule.strict !== true,
      };
    default:
      throw new Error(`no schema for a rule of the type ${rule.type}`);
  }
}

function textSchema({ form, enum: values, documented = values }: Rule): JsonSchema {
  if (documented !== undefined) return { type: "string", enum: documented, description: "Upper or lower case" };
  if (form === undefined) return { type: "string" };
  const { max, hint, pattern } = form;
  return {
    type: "string",
    maxLength: max,
    // A regular expression in JSON Schema has no escaped slashes, as JavaScript's literals have.
    ...(pattern === undefined ? {} : { pattern: pattern.source.replaceAll("\\/", "/") }),
    ...(hint === undefined ? {} : { description: `Must be ${hint}` }),
  };
}

function integerSchema({ min, max, notEqual }: Rule): JsonSchema {
  const format = max !== undefined && max > MAX_INT32 ? "int64" : "int32";
  const except = notEqual === undefined ? {} : { not: { const: notEqual } };
  return { type: "integer", format, minimum: min, maximum: max, ...except };
}

/** The limits are written with every digit, although a JavaScript number would round them (D7). */
function int64Schema({ min, max }: NonNullable<Rule["int64"]>): JsonSchema {
  return { type: "integer", format: "int64", minimum: jsonInteger(min), maximum: jsonInteger(max) };
}
