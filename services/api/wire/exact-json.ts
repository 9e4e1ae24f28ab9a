import { refuse, type Refusal } from "../../contracts/errors.ts";

/** What `JSON` has and its type declarations leave out. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
}

const exact = JSON as unknown as ExactJson;

/** Deepest nesting of a body, its outermost object counted (D8). */
const MAX_NESTING = 16;

/**
 * The one object that a text holds. Integers beyond 2^53 are BigInt, every digit kept (D7); a fraction that a double would
 * round to an integer is NaN; of duplicate keys the last wins; `__proto__` is an own property like any other (D8). A number
 * too large to be one, such as 1e400, is Infinity, for its field to be named. Of what is not JSON or not an object, and of what
 * is nested deeper than 16, what it must be: a refusal, which is an object itself, could be somebody's body.
 */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | string {
  if (nesting(text) > MAX_NESTING) return `must be nested at most ${MAX_NESTING} levels deep`;
  const value = parsed(text);
  return isObject(value) ? value : "must be one JSON object";
}

/** The refusal of a body as a whole; it is its own bad field, under the name `body` (D4). */
export function unreadableBody(message: string): Refusal {
  return refuse("INVALID_JSON", [{ field: "body", code: "MALFORMED", message }], `The body ${message}`);
}

/** A text of digits as the JSON number that it spells (D7); the other direction of the BigInt above. */
export function jsonInteger(digits: string): object {
  return exact.rawJSON(digits);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The beginning of a number that a double may not hold, also in some texts: one of sixteen digits or more, or one with an
 * exponent. Every other number is read exactly by the plain parser.
 */
const LONG_NUMBER = /[\s:,[]-?(?:[\d.]{16}|[\d.]+[eE])/;

function parsed(text: string): unknown {
  try {
    // A function that is called for every value takes as long as all the rest of the parser.
    if (!LONG_NUMBER.test(text)) return JSON.parse(text);
    return exact.parse(text, (_key, value, { source }) => (typeof value === "number" ? exactly(value, source) : value));
  } catch {
    return undefined;
  }
}

/**
 * The value of a number as it is spelt: 1.0 and 1e3 are integers, and 1.00000000000000000001 is none. Beyond 2^53 only
 * plain digits are: an id that is written as 3.7535726519832e17 has been rounded by its sender.
 */
function exactly(value: number, source = ""): number | bigint {
  const integer = integerOf(source);
  if (integer === "fraction") return Number.isInteger(value) ? Number.NaN : value;
  return integer === "too long" || Number.isSafeInteger(value) || /[.eE]/.test(source) ? value : integer;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** An integer of more digits is beyond the range of every field. */
const MAX_INTEGER_DIGITS = 40;

/** The integer that a number's text spells, without rounding. */
function integerOf(source: string): bigint | "fraction" | "too long" {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  const digits = whole + fraction;
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  if (end === 0) return 0n;
  // How many zeros follow the last digit that is none; below 0 that digit stands behind the decimal point.
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0) return "fraction";
  if (end + zeros > MAX_INTEGER_DIGITS) return "too long";
  return BigInt(`${sign}${digits.slice(0, end)}${"0".repeat(zeros)}`);
}

/** The most brackets that are open at once, counted before parsing: the parser's own stack is not to be relied on. */
function nesting(text: string): number {
  let open = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === "\\") at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "{" || character === "[")) deepest = Math.max(deepest, (open += 1));
    else if (!quoted && (character === "}" || character === "]")) open -= 1;
  }
  return deepest;
}
