import type { JsonSchema } from "./answer-fields.ts";
import type { Route } from "./route.ts";
import type { WireField } from "./wire-fields.ts";

/** A rule of services/contracts/field-rules.ts, as far as a schema is made from it. */
interface Rule {
  readonly type: string;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly notEqual?: number;
  readonly enum?: readonly string[];
  readonly documented?: readonly string[];
  readonly form?: { readonly max: number; readonly hint?: string };
  readonly item?: Rule;
  readonly props?: Readonly<Record<string, Rule>>;
}

type Rules = Readonly<Record<string, Rule>>;

const MOST_INT32 = 2_147_483_647;

/** The JSON Schema of a route's request, made from its fields and their rules. */
export function requestSchema({ fields, shape }: Pick<Route, "fields" | "shape">): JsonSchema {
  return objectSchema(fields, shape.params);
}

function objectSchema(fields: readonly WireField[], rules: Rules): JsonSchema {
  const ruled = fields.map((field) => ({ field, rule: ruleOf(field, rules) }));
  const required = ruled.filter(({ field, rule }) => rule.optional !== true && field.standard === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(ruled.map(({ field, rule }) => [field.wire, fieldSchema(field, rule)])),
    required: required.map(({ field }) => field.wire),
  };
}

function ruleOf({ wire, param }: WireField, rules: Rules): Rule {
  const rule = rules[param];
  if (rule === undefined) throw new Error(`no rule for the field ${wire}`);
  return rule;
}

function fieldSchema(field: WireField, rule: Rule): JsonSchema {
  const schema = field.schema ?? nullable(rule, valueSchema(field, rule));
  return field.standard === undefined ? schema : { ...schema, default: field.standard };
}

function nullable(rule: Rule, schema: JsonSchema): JsonSchema {
  return rule.nullable === true ? { ...schema, type: [rule.type, "null"] } : schema;
}

function valueSchema(field: Pick<WireField, "fields">, rule: Rule): JsonSchema {
  switch (rule.type) {
    case "string":
      return textSchema(rule);
    case "number":
      return integerSchema(rule);
    case "boolean":
      return { type: "boolean" };
    case "array":
      return { type: "array", maxItems: rule.max, items: valueSchema({}, rule.item ?? { type: "string" }) };
    case "object":
      return objectSchema(field.fields ?? [], rule.props ?? {});
    default:
      throw new Error(`no schema for a rule of the type ${rule.type}`);
  }
}

function textSchema({ form, enum: values, documented = values }: Rule): JsonSchema {
  if (documented !== undefined) return { type: "string", enum: documented, description: "In any case" };
  if (form === undefined) return { type: "string" };
  const { max, hint } = form;
  return { type: "string", maxLength: max, ...(hint === undefined ? {} : { description: `Must be ${hint}` }) };
}

function integerSchema({ min, max, notEqual }: Rule): JsonSchema {
  const format = max !== undefined && max > MOST_INT32 ? "int64" : "int32";
  const except = notEqual === undefined ? {} : { not: { const: notEqual } };
  return { type: "integer", format, minimum: min, maximum: max, ...except };
}
