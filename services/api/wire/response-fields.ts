import { jsonInteger } from "./exact-json.ts";
import { NO_FIELD } from "./no-field.ts";

/** A JSON Schema, as far as the API document needs it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One field of a response: its name on the wire, its value and its schema. */
export interface ResponseField<Result> {
  readonly wire: string;
  readonly value: (result: Result) => unknown;
  readonly schema: JsonSchema;
  /** The entries of a list, and the encoding of one entry: a long list is encoded in slices. */
  readonly list?: {
    readonly entries: (result: Result) => readonly unknown[];
    readonly encode: (entry: unknown) => object;
  };
  /** Omitted without a value, never sent as null or "". */
  readonly optional?: true;
}

/** How a field of a result is shown: its name on the wire, the schema, and the encoding where it differs. */
interface ShownField<Value> {
  readonly wire: string;
  readonly schema: JsonSchema;
  readonly encode?: (value: Value) => unknown;
}

type OptionalField<Value> = ShownField<Value> & Required<Pick<ResponseField<unknown>, "optional">>;

/** The fields of a response by the fields of the result, in the order of the response. */
type ResponseFields<Result> = {
  readonly [Field in keyof Result]-?:
    | ({} extends Pick<Result, Field> ? OptionalField<NonNullable<Result[Field]>> : ShownField<Result[Field]>)
    | typeof NO_FIELD;
};

export function responseFields<Result>(table: ResponseFields<Result>): readonly ResponseField<Result>[] {
  const entries = Object.entries(table) as [keyof Result, ShownField<unknown> | typeof NO_FIELD][];
  return entries.flatMap(([name, shownField]) => {
    if (shownField === NO_FIELD) return [];
    const { encode, ...field } = shownField;
    const value = (result: Result) => {
      const member = result[name];
      return encode === undefined || member === undefined ? member : encode(member);
    };
    return [{ ...field, value }];
  });
}

export function shown(wire: string, schema: JsonSchema): ShownField<unknown> {
  return { wire, schema };
}

/** A 64-bit id as a JSON integer with every digit (D7). */
export function int64(wire: string): ShownField<string> {
  return { wire, encode: jsonInteger, schema: { type: "integer", format: "int64", minimum: 1 } };
}

/** An object; `title` is the name of its schema in the API document. */
export function shownObject<Value>(
  wire: string,
  fields: readonly ResponseField<Value>[],
  title: string,
): ShownField<Value> {
  return { wire, encode: (value) => encodeFields(fields, value), schema: objectOf(fields, title) };
}

/** A list of objects. */
export function shownObjects<Value>(
  wire: string,
  fields: readonly ResponseField<Value>[],
  title: string,
): ShownField<readonly Value[]> {
  const encode = (values: readonly Value[]) => values.map((value) => encodeFields(fields, value));
  return { wire, encode, schema: { type: "array", items: objectOf(fields, title) } };
}

export function optional<Value>(field: ShownField<Value>): OptionalField<Value> {
  return { ...field, optional: true };
}

/** The body of a response: its fields in order, without those that have no value. */
export function encodeFields<Result>(
  fields: readonly ResponseField<Result>[],
  result: Result,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { wire, value } of fields) {
    const encoded = value(result);
    if (encoded !== undefined) body[wire] = encoded;
  }
  return body;
}

/** The schema of such a body. `title` is its name in the API document, if it has one. */
export function objectOf<Result>(fields: readonly ResponseField<Result>[], title?: string): JsonSchema {
  return {
    ...(title === undefined ? {} : { title }),
    type: "object",
    properties: Object.fromEntries(fields.map(({ wire, schema }) => [wire, schema])),
    required: fields.filter((field) => field.optional !== true).map(({ wire }) => wire),
  };
}

/** The constant message of a successful operation (D5). */
export function statusMessage(wire: "Message" | "message", text: string): ResponseField<unknown> {
  return { wire, value: () => text, schema: { type: "string", const: text } };
}

/** A result that is a list. */
export function listOf<Item>(
  wire: string,
  fields: readonly ResponseField<Item>[],
  title: string,
): ResponseField<readonly Item[]> {
  return listIn(wire, fields, title, (items: readonly Item[]) => items);
}

/** A list within the result. */
export function listIn<Result, Item>(
  wire: string,
  fields: readonly ResponseField<Item>[],
  title: string,
  entries: (result: Result) => readonly Item[],
): ResponseField<Result> {
  return {
    wire,
    value: (result) => entries(result).map((item) => encodeFields(fields, item)),
    schema: { type: "array", items: objectOf(fields, title) },
    list: { entries, encode: (entry) => encodeFields(fields, entry as Item) },
  };
}

/** The number of entries. */
export function amountIn<Result>(entries: (result: Result) => readonly unknown[]): ResponseField<Result> {
  return {
    wire: "amount",
    value: (result) => entries(result).length,
    schema: { type: "integer", minimum: 0 },
  };
}

/** The number of entries of a result that is a list. */
export const listAmount = amountIn((entries: readonly unknown[]) => entries);

export const BOOLEAN: JsonSchema = { type: "boolean" };
export const STRING: JsonSchema = { type: "string" };
export const INTEGER: JsonSchema = { type: "integer" };
export const EPOCH_MS: JsonSchema = { type: "integer", format: "int64", minimum: 0 };
export const DATE: JsonSchema = { type: "string", format: "date" };
export const LIST_OF_STRINGS: JsonSchema = { type: "array", items: STRING };
export const LIST_OF_INTEGERS: JsonSchema = { type: "array", items: INTEGER };
export const LIST_OF_EPOCH_MS: JsonSchema = { type: "array", items: EPOCH_MS };

export function enumOf(names: readonly string[]): JsonSchema {
  return { type: "string", enum: names };
}
