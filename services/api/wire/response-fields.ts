import { jsonInteger } from "./exact-json.ts";

/** A JSON Schema, as far as the API document needs it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One field of an answer: its name on the wire, where its value comes from, and what it is. */
export interface AnswerField<Result> {
  readonly wire: string;
  readonly value: (result: Result) => unknown;
  readonly schema: JsonSchema;
  /** Of a list: its entries, and one of them as it is sent. A long list is encoded a few entries at a time. */
  readonly list?: {
    readonly entries: (result: Result) => readonly unknown[];
    readonly encode: (entry: unknown) => object;
  };
  /** Left out when it has no value, never sent as null or "". */
  readonly optional?: true;
}

/** The answer's body: its fields in their order, those without a value left out. */
export function encodeFields<Result>(fields: readonly AnswerField<Result>[], result: Result): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { wire, value } of fields) {
    const encoded = value(result);
    if (encoded !== undefined) body[wire] = encoded;
  }
  return body;
}

/** The schema of such a body; `title` is its name in the API document, where it has one of its own. */
export function objectOf<Result>(fields: readonly AnswerField<Result>[], title?: string): JsonSchema {
  return {
    ...(title === undefined ? {} : { title }),
    type: "object",
    properties: Object.fromEntries(fields.map(({ wire, schema }) => [wire, schema])),
    required: fields.filter(({ optional }) => optional !== true).map(({ wire }) => wire),
  };
}

/** The fixed status text of an operation that has nothing else to tell (D5). */
export function statusText(wire: "Message" | "message", text: string): AnswerField<unknown> {
  return { wire, value: () => text, schema: { type: "string", const: text } };
}

/** A list of things, and of how many where `amount` is asked for. */
export function listOf<Item>(
  wire: string,
  fields: readonly AnswerField<Item>[],
  title: string,
): AnswerField<readonly Item[]> {
  return listIn(wire, fields, title, (items: readonly Item[]) => items);
}

/** A list that is a part of the result. */
export function listIn<Result, Item>(
  wire: string,
  fields: readonly AnswerField<Item>[],
  title: string,
  entries: (result: Result) => readonly Item[],
): AnswerField<Result> {
  return {
    wire,
    value: (result) => entries(result).map((item) => encodeFields(fields, item)),
    schema: { type: "array", items: objectOf(fields, title) },
    list: { entries, encode: (entry) => encodeFields(fields, entry as Item) },
  };
}

export function amountIn<Result>(entries: (result: Result) => readonly unknown[]): AnswerField<Result> {
  return {
    wire: "amount",
    value: (result) => entries(result).length,
    schema: { type: "integer", minimum: 0 },
  };
}

export const amountOf = amountIn((entries: readonly unknown[]) => entries);

/** A 64-bit id as a JSON integer with every digit (D7). */
export function int64<Result>(wire: string, digits: (result: Result) => string): AnswerField<Result> {
  return {
    wire,
    value: (result) => jsonInteger(digits(result)),
    schema: { type: "integer", format: "int64", minimum: 1 },
  };
}

export const BOOLEAN: JsonSchema = { type: "boolean" };
export const STRING: JsonSchema = { type: "string" };
export const INTEGER: JsonSchema = { type: "integer" };
export const EPOCH_MS: JsonSchema = { type: "integer", format: "int64", minimum: 0 };
export const STRINGS: JsonSchema = { type: "array", items: STRING };
export const INTEGERS: JsonSchema = { type: "array", items: INTEGER };
export const LIST_OF_EPOCH_MS: JsonSchema = { type: "array", items: EPOCH_MS };

export function oneOfNames(names: readonly string[]): JsonSchema {
  return { type: "string", enum: names };
}
