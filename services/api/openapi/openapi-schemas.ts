import type { JsonSchema } from "../wire/response-fields.ts";
import { jsonInteger } from "../wire/exact-json.ts";
import type { Route } from "../route.ts";
import type { WireField } from "../wire/request-fields.ts";

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
  /** What its owner takes when it is left out. */
  readonly standard?: unknown;
  readonly form?: { readonly max: number; readonly hint?: string; readonly pattern?: RegExp };
  /** Taken as an integer of 64 bits as well, within these digits. */
  readonly int64?: { readonly min: string; readonly max: string };
  readonly item?: Rule;
  readonly props?: Readonly<Record<string, Rule>>;
  /** Of an object: whether unknown members are refused. */
  readonly strict?: boolean;
}

type Rules = Readonly<Record<string, Rule>>;

const MAX_INT32 = 2_147_483_647;

/** The JSON Schema of a route's request, made from its fields and their rules. */
export function requestSchema({ fields, shape, nullsAreAbsent }: RequestOf): JsonSchema {
  return objectSchema({ fields, rules: shape.params, nullsAreAbsent });
}

type RequestOf = Pick<Route, "fields" | "shape" | "nullsAreAbsent">;

interface FieldsOf {
  readonly fields: readonly WireField[];
  readonly rules: Rules;
  readonly nullsAreAbsent: boolean;
}

function objectSchema({ fields, rules, nullsAreAbsent }: FieldsOf): JsonSchema {
  const ruled = fields.map((field) => ({ field, rule: ruleOf(field, rules) }));
  const required = ruled.filter(({ field, rule }) => rule.optional !== true && field.standard === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(
      ruled.map(({ field, rule }) => [field.wire, fieldSchema(field, rule, nullsAreAbsent)]),
    ),
    required: required.map(({ field }) => field.wire),
  };
}

function ruleOf({ wire, param }: WireField, rules: Rules): Rule {
  const rule = rules[param];
  if (rule === undefined) throw new Error(`no rule for the field ${wire}`);
  return rule;
}

function fieldSchema(field: WireField, rule: Rule, nullsAreAbsent: boolean): JsonSchema {
  const schema = valueSchema(field, rule, nullsAreAbsent);
  const mayBeNull = rule.nullable === true || (nullsAreAbsent && rule.optional === true);
  const standard = field.standard ?? rule.standard;
  return { ...(mayBeNull ? orNull(schema) : schema), ...(standard === undefined ? {} : { default: standard }) };
}

/** What null means, its field's rule or its route says (D6). */
function orNull(schema: JsonSchema): JsonSchema {
  const names = schema["enum"] as readonly string[] | undefined;
  return { ...schema, type: [schema["type"], "null"], ...(names === undefined ? {} : { enum: [...names, null] }) };
}

function valueSchema(field: Pick<WireField, "fields">, rule: Rule, nullsAreAbsent: boolean): JsonSchema {
  if (rule.int64 !== undefined) return { oneOf: [int64Schema(rule.int64), textSchema(rule)] };
  switch (rule.type) {
    case "string":
      return textSchema(rule);
    case "number":
      return integerSchema(rule);
    case "boolean":
      return { type: "boolean" };
    case "array":
      return { type: "array", maxItems: rule.max, items: valueSchema({}, rule.item ?? { type: "string" }, false) };
    case "object":
      return {
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
    // A slash needs no escape outside of JavaScript's literals.
    ...(pattern === undefined ? {} : { pattern: pattern.source.replaceAll("\\/", "/") }),
    ...(hint === undefined ? {} : { description: `Must be ${hint}` }),
  };
}

function integerSchema({ min, max, notEqual }: Rule): JsonSchema {
  const format = max !== undefined && max > MAX_INT32 ? "int64" : "int32";
  const except = notEqual === undefined ? {} : { not: { const: notEqual } };
  return { type: "integer", format, minimum: min, maximum: max, ...except };
}

/** Its limits have every digit (D7). */
function int64Schema({ min, max }: NonNullable<Rule["int64"]>): JsonSchema {
  return { type: "integer", format: "int64", minimum: jsonInteger(min), maximum: jsonInteger(max) };
}
