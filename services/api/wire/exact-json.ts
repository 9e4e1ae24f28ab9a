import { refuse, type Refusal } from "../../contracts/errors.ts";

/** Functions of `JSON` that its type declarations lack. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
}

const exactJson = JSON as unknown as ExactJson;

/** Levels of nesting in a body, including the outermost object (D8). */
const MAX_NESTING = 16;

/**
 * Parses a text that is one JSON object. For any other text, and for deeper nesting, the result is the message of the error:
 * a `Refusal` is an object, and could not be distinguished from a body.
 *
 * Integers beyond 2^53 become BigInt with every digit (D7). A fraction that a double would round to an integer becomes NaN,
 * and a number beyond the range of a double, such as 1e400, Infinity: the check of the field then names the field. The last
 * of duplicate keys wins, and `__proto__` is an ordinary property (D8).
 */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | string {
  if (nestingDepth(text) > MAX_NESTING) return `must be nested at most ${MAX_NESTING} levels deep`;
  const value = parseExact(text);
  return isObject(value) ? value : "must be one JSON object";
}

/** The refusal of a body as a whole, with `body` as the name of the invalid field (D4). */
export function invalidBody(message: string): Refusal {
  return refuse("INVALID_JSON", [{ field: "body", code: "MALFORMED", message }], `The body ${message}`);
}

/** Serializes as the integer of these digits, without rounding (D7). */
export function jsonInteger(digits: string): object {
  return exactJson.rawJSON(digits);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Matches the beginning of a number that a double may not represent: sixteen or more digits, or an exponent. It also matches
 * some strings. Without a match `JSON.parse` is exact.
 */
const LONG_NUMBER = /[\s:,[]-?(?:[\d.]{16}|[\d.]+[eE])/;

function parseExact(text: string): unknown {
  try {
    // A reviver doubles the time of the parser.
    if (!LONG_NUMBER.test(text)) return JSON.parse(text);
    return exactJson.parse(text, (_key, value, { source }) =>
      typeof value === "number" ? exactNumber(value, source) : value,
    );
  } catch {
    return undefined;
  }
}

/**
 * The exact value of a number's text: 1.0 and 1e3 are integers, 1.00000000000000000001 is not. Beyond 2^53 only plain digits
 * are an integer: the sender of the id 3.7535726519832e17 has rounded it.
 */
function exactNumber(value: number, source = ""): number | bigint {
  const integer = integerOf(source);
  if (integer === "fraction") return Number.isInteger(value) ? Number.NaN : value;
  return integer === "too long" || Number.isSafeInteger(value) || /[.eE]/.test(source) ? value : integer;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** An integer with more digits exceeds the range of every field. */
const MAX_INTEGER_DIGITS = 40;

/** The integer of a number's text, without rounding. */
function integerOf(source: string): bigint | "fraction" | "too long" {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  const digits = whole + fraction;
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  if (end === 0) return 0n;
  // Number of zeros after the last nonzero digit; negative if that digit is behind the decimal point.
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0) return "fraction";
  if (end + zeros > MAX_INTEGER_DIGITS) return "too long";
  return BigInt(`${sign}${digits.slice(0, end)}${"0".repeat(zeros)}`);
}

/** The deepest nesting of brackets, counted before parsing: deep nesting overflows the parser's stack. */
function nestingDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString && character === "\\") at += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && (character === "{" || character === "[")) deepest = Math.max(deepest, (depth += 1));
    else if (!isInString && (character === "}" || character === "]")) depth -= 1;
  }
  return deepest;
}
