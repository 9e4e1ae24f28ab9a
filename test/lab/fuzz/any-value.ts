import * as fc from "fast-check";

/** A JSON Schema, with the keywords that the OpenAPI document uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  /** A regular expression for the flag `u`. */
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

/** Hostile values for any field. */
const HOSTILE = fc.constantFrom<unknown>(
  null,
  true,
  "",
  " ",
  "\u0000",
  "\ud800",
  "__proto__",
  "$where",
  "'; drop table",
  "x".repeat(5_000),
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  { $ne: 1 },
  { $gt: "" },
  { $where: "sleep(1000)" },
  { constructor: { prototype: {} } },
  [[]],
  [null],
  nested(14),
  nested(40),
);

/** Null, and in one of thirty cases a value. */
export function nowAndThen<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: 29, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

/** Usually a value that the schema allows, often at its limits, and sometimes one that it does not allow. */
export function anyValue(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 20, arbitrary: goodValue(schema) }, { weight: 1, arbitrary: HOSTILE });
}

function goodValue(schema: Schema): fc.Arbitrary<unknown> {
  const { type = "object", oneOf } = schema;
  if (oneOf !== undefined) return fc.oneof(...oneOf.map(goodValue));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (String(typeof type === "string" ? type : type[0])) {
    case "integer":
      return integer(schema);
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(anyValue(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 5, 5) });
    case "string":
      return schema.pattern === undefined ? anyText(schema) : nearlyMatching(schema.pattern);
    default:
      return anyObject(schema);
  }
}

function anyText({ maxLength = 300 }: Schema): fc.Arbitrary<string> {
  return fc.string({ maxLength, unit: "binary", size: "small" });
}

/** Texts that a wrong check of a pattern accepts, or that crash it. */
const INTRUDERS = ["", " ", "\n", "\u0000", "0", "-", "٣", "é", "\u202e", "\ud83d\ude00", "\ud800", "<@1>"];

const pools = new Map<string, readonly string[]>();
const POOL_SIZE = 100;

/** Matching texts, generated once: a class such as `\p{C}` takes tens of milliseconds per text. */
function poolOf(pattern: string): readonly string[] {
  const made = { numRuns: POOL_SIZE, seed: POOL_SIZE };
  const pool = pools.get(pattern) ?? fc.sample(fc.stringMatching(new RegExp(pattern, "u"), { size: "small" }), made);
  pools.set(pattern, pool);
  return pool;
}

/** Matching texts, and as many texts that one character keeps from matching. */
export function nearlyMatching(pattern: string): fc.Arbitrary<string> {
  const matching = fc.constantFrom(...poolOf(pattern));
  const spoilt = fc
    .tuple(matching, fc.nat(), fc.constantFrom(...INTRUDERS), fc.boolean())
    .map(([text, where, intruder, replaces]) => {
      const at = where % (text.length + 1);
      return text.slice(0, at) + intruder + text.slice(replaces ? at + 1 : at);
    });
  return fc.oneof(matching, spoilt);
}

function integer({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema) {
  const least = Math.max(minimum, Number.MIN_SAFE_INTEGER);
  const most = Math.min(maximum, Number.MAX_SAFE_INTEGER);
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: least, max: Math.min(most, Math.max(least, 0) + 100) }) },
    { weight: 1, arbitrary: fc.constantFrom(least, most) },
    { weight: 1, arbitrary: fc.integer({ min: least, max: most }) },
  );
}

/** An object that nearly always has its usual fields, sometimes other fields, and sometimes an unknown one. */
export function anyObject(
  { properties = {}, required = [] }: Schema,
  valueOf: (name: string, schema: Schema) => fc.Arbitrary<unknown> = (_name, schema) => anyValue(schema),
  usual: object = {},
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isThere = fc
      .integer({ min: 0, max: 99 })
      .map((at) => at < (required.includes(name) || name in usual ? 98 : 10));
    return fc.tuple(fc.constant(name), isThere, valueOf(name, schema));
  });
  const unknown = nowAndThen(fc.tuple(fc.constantFrom("extra", "$set", "constructor", "toString"), HOSTILE));
  return fc
    .tuple(fc.tuple(...fields), unknown)
    .map(([known, more]) =>
      Object.fromEntries([
        ...known.flatMap(([name, isThere, value]) => (isThere ? [[name, value] as const] : [])),
        ...(more === null ? [] : [more]),
      ]),
    );
}
