import type { ValidationRuleObject } from "fastest-validator";
import { GUILD_ID, INT64_MAX, isGuildId, LAST_EPOCH_MS, SNOWFLAKE } from "./ids.ts";

/**
 * Rules for single fields, for fastest-validator. It ignores the properties `form`, `item`, `title`, `documented`,
 * `documentedDefault` and `int64`, which are for the API document.
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

/** A custom check of fastest-validator. `field` is the path of the compiled rule, without the index of an item. */
type Checker = (value: unknown, errors: CheckerErrors, rule: unknown, field: string) => unknown;

/** The number of characters, with surrogate pairs as one, as in JSON Schema's `maxLength`. */
function characters(value: string): number {
  let count = value.length;
  for (let at = 0; at < value.length - 1; at += 1) if ((value.codePointAt(at) ?? 0) > 0xffff) count -= 1;
  return count;
}

interface TextForm {
  readonly max: number;
  readonly hint: string;
  /** Shown in the API document. */
  readonly pattern?: RegExp;
  /** Replaces every error message. */
  readonly errorMessage?: string;
  readonly matches: (text: string) => boolean;
}

function textError(value: string, { max, hint, matches }: TextForm): CheckerError | undefined {
  if (value.length > max && characters(value) > max) return { type: "stringMax", expected: max };
  return value.isWellFormed() && matches(value) ? undefined : { type: "malformed", expected: hint };
}

function formError(value: unknown, form: TextForm): CheckerError | undefined {
  const error = typeof value === "string" ? textError(value, form) : { type: "string", expected: "string" };
  return error === undefined || form.errorMessage === undefined ? error : { ...error, message: form.errorMessage };
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
 * Text that matches a pattern and is accepted by a function. The API document contains the patterns of its fields, and code
 * generators compile them in many dialects of regular expressions. Such a pattern must mean the same with and without the flag
 * u: it has no \p, no \d, and no count of characters beyond U+FFFF.
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
export function listOf(item: Rule, max: number): Rule {
  const form = item["form"] as TextForm;
  const custom: Checker = (value, errors, _rule, field) => {
    if (!Array.isArray(value) || value.length > max) return value;
    for (const [at, entry] of value.entries()) {
      const error = formError(entry, form);
      if (error !== undefined) errors.push({ ...error, field: `${field}[${at}]` });
    }
    return value;
  };
  return { type: "array", max, item, custom };
}

/** A list of integers that each match a rule. */
export function listOfIntegers(item: Rule, max: number): Rule {
  const custom: Checker = (value, errors, _rule, field) => {
    if (!Array.isArray(value) || value.length > max) return value;
    for (const [at, entry] of value.entries()) {
      const error = integerError(entry, item);
      if (error !== undefined) errors.push({ ...error, field: `${field}[${at}]` });
    }
    return value;
  };
  return { type: "array", max, item, custom };
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
  errorMessage: `must be ${GUILD_ID_HINT}`,
};

/** Clients may also send a number (D7): the error message says so, unlike that of a string rule. */
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

/** A date of the Gregorian calendar (D50). */
export const dateText: Rule = textOf(
  "a date from 1970-01-01 to 9999-12-31, such as 2030-06-30",
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/,
  10,
  isDate,
);

/** A parser of dates reads 2030-02-30 as 2 March. */
function isDate(value: string): boolean {
  const at = Date.parse(`${value}T00:00:00Z`);
  return at >= 0 && new Date(at).toISOString().startsWith(value);
}

export const snowflake: Rule = textOf("a string of 1 to 20 digits", SNOWFLAKE, 20);

/** A string of digits or one of the words. */
export function snowflakeOr(...words: string[]): Rule {
  return textOf(
    `a string of 1 to 20 digits, or ${words.map((word) => `"${word}"`).join(" or ")}`,
    new RegExp(`${SNOWFLAKE.source}|^(?:${words.join("|")})$`),
    20,
  );
}

/** The id of a resource. An id without the right form is a 404, like one that does not exist (D28). */
export const reference: Rule = { type: "string" };

/** Stricter than a URL parser, which drops white space and adds slashes: the clients that show the image may not (D21). */
const HTTP_URL = /^(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\x00-\x1f\x7f-\x9f/?#\\][^\s\x00-\x1f\x7f-\x9f]*)?$/u;

/** Largest number of characters of a URL. */
export const MAX_URL_LENGTH = 2048;

/** An http or https URL; "" is none. */
export const httpUrl: Rule = textOf(
  "an http or https URL without white space",
  HTTP_URL,
  MAX_URL_LENGTH,
  (value) => value === "" || URL.canParse(value),
);

/** An optional field; `documentedDefault` is the value that the owner uses for an absent one. */
export function optional(rule: Rule, documentedDefault?: unknown): Rule {
  return { ...rule, optional: true, ...(documentedDefault === undefined ? {} : { documentedDefault }) };
}

/** An optional field for which null clears the stored value (D6). */
export function clearable(rule: Rule): Rule {
  return { ...rule, optional: true, nullable: true };
}

/** The number of writes of a record, from 1. */
export const revisionNumber: Rule = integer(1, Number.MAX_SAFE_INTEGER);
