import type { ValidationRuleObject } from "fastest-validator";
import { GUILD_ID, INT64_MAX, isGuildId, LAST_EPOCH_MS, SNOWFLAKE } from "./ids.ts";

/**
 * Rules for single fields, in fastest-validator's terms. What fastest-validator does not know (`form`, `item`,
 * `documented`, `standard`, `int64`) it passes over; the API document is made from it.
 */
type Rule = ValidationRuleObject;

interface CheckerError {
  readonly type: string;
  readonly expected: unknown;
  readonly message?: string;
}

interface CheckerErrors {
  push(error: CheckerError & { field: string }): void;
}

/** A custom check in fastest-validator's form; it sees the path as it was compiled, without the index of an item. */
type Checker = (value: unknown, errors: CheckerErrors, rule: unknown, field: string) => unknown;

/** The number of characters, a pair of surrogates being one, as JSON Schema's `maxLength` counts them. */
function characters(value: string): number {
  let count = value.length;
  for (let at = 0; at < value.length - 1; at += 1) if ((value.codePointAt(at) ?? 0) > 0xffff) count -= 1;
  return count;
}

interface TextForm {
  readonly max: number;
  readonly hint: string;
  /** For the API document. */
  readonly pattern?: RegExp;
  /** Said of whatever is wrong with it, in place of the usual words. */
  readonly words?: string;
  readonly matches: (text: string) => boolean;
}

function textError(value: string, { max, hint, matches }: TextForm): CheckerError | undefined {
  if (value.length > max && characters(value) > max) return { type: "stringMax", expected: max };
  return value.isWellFormed() && matches(value) ? undefined : { type: "malformed", expected: hint };
}

function formError(value: unknown, form: TextForm): CheckerError | undefined {
  const error = typeof value === "string" ? textError(value, form) : { type: "string", expected: "string" };
  return error === undefined || form.words === undefined ? error : { ...error, message: form.words };
}

function checkText(form: TextForm): Checker {
  return (value, errors, _rule, field) => {
    const error = typeof value === "string" ? textError(value, form) : undefined;
    if (error !== undefined) errors.push({ ...error, field });
    return value;
  };
}

/** Any text of at most `max` characters. */
export function text(max: number): Rule {
  return { type: "string", form: { max }, custom: checkText({ max, hint: "valid Unicode text", matches: () => true }) };
}

/**
 * Text of a certain form: all of it must match the pattern, which clients are shown as well, and then be accepted, for
 * what no pattern can say. Generators compile the pattern in many dialects: it must mean the same with and without the
 * flag u, so it has no \p, no \d, and no count of characters beyond U+FFFF.
 */
export function textOf(
  hint: string,
  pattern: RegExp,
  max: number,
  accepts: (value: string) => boolean = () => true,
): Rule {
  const form = formOf(hint, pattern, max, accepts);
  return { type: "string", form, custom: checkText(form) };
}

function formOf(hint: string, pattern: RegExp, max: number, accepts: (value: string) => boolean): TextForm {
  return { max, hint, pattern, matches: (value) => pattern.test(value) && accepts(value) };
}

/** A list of texts of one form. */
export function listOf(item: Rule, most: number): Rule {
  const form = item["form"] as TextForm;
  const custom: Checker = (value, errors, _rule, field) => {
    if (!Array.isArray(value) || value.length > most) return value;
    for (const [at, entry] of value.entries()) {
      const error = formError(entry, form);
      if (error !== undefined) errors.push({ ...error, field: `${field}[${at}]` });
    }
    return value;
  };
  return { type: "array", max: most, item, custom };
}

/** A list of integers, each by the rule of one. */
export function listOfIntegers(item: Rule, most: number): Rule {
  const custom: Checker = (value, errors, _rule, field) => {
    if (!Array.isArray(value) || value.length > most) return value;
    for (const [at, entry] of value.entries()) {
      const error = integerError(entry, item);
      if (error !== undefined) errors.push({ ...error, field: `${field}[${at}]` });
    }
    return value;
  };
  return { type: "array", max: most, item, custom };
}

function integerError(value: unknown, { min, max, notEqual }: Rule): CheckerError | undefined {
  if (typeof value !== "number") return { type: "number", expected: "number" };
  if (!Number.isInteger(value)) return { type: "numberInteger", expected: "integer" };
  if (value < (min as number)) return { type: "numberMin", expected: min };
  if (value > (max as number)) return { type: "numberMax", expected: max };
  return value === notEqual ? { type: "numberNotEqual", expected: notEqual } : undefined;
}

export function integer(min: number, max: number): Rule {
  return { type: "number", integer: true, min, max };
}

export function oneOf(values: readonly string[]): Rule {
  return { type: "string", enum: [...values] };
}

export const flag: Rule = { type: "boolean" };

const GUILD_ID_HINT = `an integer from 1 to ${INT64_MAX} (a number or a string)`;

const guildIdForm: TextForm = {
  ...formOf(GUILD_ID_HINT, GUILD_ID, INT64_MAX.length, isGuildId),
  words: `must be ${GUILD_ID_HINT}`,
};

/** On the wire a number as well (D7): what is neither is told so, where a string's rule would ask for a string. */
export const guildId: Rule = {
  type: "any",
  form: guildIdForm,
  int64: { min: "1", max: INT64_MAX },
  custom(value: unknown, errors: CheckerErrors, _rule: unknown, field: string) {
    const error = value === undefined || value === null ? undefined : formError(value, guildIdForm);
    if (error !== undefined) errors.push({ ...error, field });
    return value;
  },
};

export const epochMs: Rule = integer(0, LAST_EPOCH_MS);

export const snowflake: Rule = textOf("a string of 1 to 20 digits", SNOWFLAKE, 20);

/** A string of digits or one of the words. */
export function snowflakeOr(...words: string[]): Rule {
  return textOf(
    `a string of 1 to 20 digits, or ${words.map((word) => `"${word}"`).join(" or ")}`,
    new RegExp(`${SNOWFLAKE.source}|^(?:${words.join("|")})$`),
    20,
  );
}

/** An id that names something: what does not exist is a 404, however it is spelt (D28). */
export const reference: Rule = { type: "string" };

/** As written: a parser of URLs drops white space and supplies slashes, and whoever shows the image may not (D21). */
const HTTP_URL = /^(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\x00-\x1f\x7f-\x9f/?#\\][^\s\x00-\x1f\x7f-\x9f]*)?$/u;

/** An http or https URL; "" is none. */
export const httpUrl: Rule = textOf(
  "an http or https URL without white space",
  HTTP_URL,
  2048,
  (value) => value === "" || URL.canParse(value),
);

/** May be left out. Where its owner then takes a value of the contract's, `standard` is that value. */
export function optional(rule: Rule, standard?: unknown): Rule {
  return { ...rule, optional: true, ...(standard === undefined ? {} : { standard }) };
}

/** Optional, and null clears what is stored (D6). */
export function clearable(rule: Rule): Rule {
  return { ...rule, optional: true, nullable: true };
}

/** Counts the writes of one record, from 1. */
export const revisionNumber: Rule = integer(1, Number.MAX_SAFE_INTEGER);
