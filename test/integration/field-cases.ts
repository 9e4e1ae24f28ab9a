import { jsonInteger } from "../../services/api/wire/exact-json.ts";
import type { Route } from "../../services/api/route.ts";
import type { RequestField } from "../../services/api/wire/request-fields.ts";

/** A request with one unusual field, and the expected outcome. */
export interface FieldCase {
  readonly title: string;
  /** The path of the field, as in an error. */
  readonly field: string;
  readonly body: object;
  readonly outcome: "refused" | "taken";
}

/** A rule of services/contracts/field-rules.ts. */
interface Rule {
  readonly type: string;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly notEqual?: number;
  readonly enum?: readonly string[];
  readonly int64?: object;
  readonly form?: { readonly max: number; readonly matches?: (text: string) => boolean };
  readonly item?: Rule;
  readonly items?: Rule;
  readonly props?: Readonly<Record<string, Rule>>;
}

/** Optional fields that other fields of the example require (D15, api.md 4.1). */
const NEEDED_BY_THE_EXAMPLE: Readonly<Record<string, readonly string[]>> = {
  "/v1/announcement/create": ["event_id", "hours", "minutes"],
  "/v2/events/create": ["epoch_start", "epoch_end", "recur", "recurrence"],
  "/admin/keys/create": ["guilds"],
};

const absent = Symbol("absent");

/**
 * Requests of a route, each with one changed field of the example: missing, null, of a wrong type, outside its range or form,
 * or an enumerated value in lower case. The fields of an object are changed in the same way.
 */
export function fieldCases(route: Route): FieldCase[] {
  return fieldsOf(route).flatMap((field) => casesOf(route, field));
}

function casesOf(route: Route, field: RequestField): FieldCase[] {
  const [path] = route.paths;
  const params: Readonly<Record<string, unknown>> = { ...route.pages?.shape.params, ...route.shape.params };
  const rule = params[field.param] as Rule;
  const needed = NEEDED_BY_THE_EXAMPLE[path]?.includes(field.wire) === true;
  const mayBeAbsent = (rule.optional === true || field.defaultValue !== undefined) && !needed;
  const mayBeNull = rule.nullable === true || (mayBeAbsent && route.nullsAreAbsent);
  const caseOf = (value: unknown, outcome: FieldCase["outcome"], within = ""): FieldCase => ({
    title: `${field.wire} ${shown(value)}`,
    field: field.wire + within,
    body: bodyWith(route.example.request, field.wire, value),
    outcome,
  });
  return [
    caseOf(absent, mayBeAbsent ? "taken" : "refused"),
    caseOf(null, mayBeNull ? "taken" : "refused"),
    ...badValues(field, rule).map(([value, within]) => caseOf(value, "refused", within)),
    ...(rule.enum ?? []).map((name) => caseOf(name.toLowerCase(), "taken")),
  ];
}

/** The fields of the route, and those of its pages. */
function fieldsOf({ fields, pages }: Route): readonly RequestField[] {
  const known = new Set(fields.map(({ wire }) => wire));
  return [...fields, ...(pages?.fields ?? []).filter(({ wire }) => !known.has(wire))];
}

function bodyWith(example: object, wire: string, value: unknown): object {
  const { [wire as never]: _, ...rest } = example;
  return value === absent ? rest : { ...rest, [wire]: value };
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "absent").slice(0, 60);
}

type BadValue = readonly [value: unknown, pathWithin: string];

const TOO_LARGE = jsonInteger("9223372036854775808");
const NOT_TEXT = [true, {}, [], { $ne: 1 }, ["1"]];
const MALFORMED = ["", " ", "x y", "x", "-1", "01x", "ftp://example.org", "javascript:alert(1)", "\ud800"];

function badValues(field: Pick<RequestField, "wire" | "fields">, rule: Rule): BadValue[] {
  if (rule.int64 !== undefined) return whole([0, -1, 1.5, TOO_LARGE, "0", "01", "x", ...NOT_TEXT]);
  switch (rule.type) {
    case "string":
      return whole([1, ...NOT_TEXT, ...badTexts(rule)]);
    case "number":
      return whole([...integersBeyond(rule), 1.5, "1", true, {}, [], TOO_LARGE]);
    case "boolean":
      return whole(["true", 0, 1, {}, []]);
    case "array":
      return [...whole(["x", 1, true, {}]), ...badLists(rule)];
    case "object":
      return [...whole(["x", 1, true, []]), ...badObjects(field, rule)];
    default:
      throw new Error(`no bad values are known for the type ${rule.type}`);
  }
}

function whole(values: readonly unknown[]): BadValue[] {
  return values.map((value) => [value, ""]);
}

function badTexts({ form, enum: values }: Rule): string[] {
  if (values !== undefined) return ["NOPE", ""];
  if (form === undefined) return [];
  return [
    "x".repeat(form.max + 1),
    ...MALFORMED.filter((text) => !text.isWellFormed() || form.matches?.(text) === false),
  ];
}

function integersBeyond({ min, max, notEqual }: Rule): number[] {
  const around = [min === undefined ? undefined : min - 1, max === undefined ? undefined : max + 1, notEqual];
  return around.filter((value) => value !== undefined);
}

function badLists({ item, items, max = 0 }: Rule): BadValue[] {
  // Of an entry that is an object, the fields are named.
  if (items?.type === "object")
    return [
      ["x", "[0]"],
      [1, "[0]"],
      [true, "[0]"],
    ].map(([value, at]) => [[value], `${at}`]);
  const entries = badValues({ wire: "entry" }, item ?? { type: "string" });
  return [
    [Array.from({ length: max + 1 }, () => "1"), ""],
    ...entries.map(([value]): BadValue => [["1", value], "[1]"]),
  ];
}

function badObjects({ fields = [] }: Pick<RequestField, "fields">, { props = {} }: Rule): BadValue[] {
  const good = { frequency: "DAILY" };
  return fields.flatMap((inner) => {
    const rule = props[inner.param]!;
    const bad = badValues(inner, rule).map(([value, at]): BadValue => [
      { ...good, [inner.wire]: value },
      `.${inner.wire}${at}`,
    ]);
    return rule.optional === true ? bad : [...bad, [bodyWith(good, inner.wire, absent), `.${inner.wire}`] as const];
  });
}
