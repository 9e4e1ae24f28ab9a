/** Matches a string or a number of a JSON text. It matches whole strings, so that digits inside them are not changed. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Matches a text that may have a number that `JSON.parse` rounds, or a number as `guild_id`. */
const MAY_HOLD_IDS = /"guild_id":\s*\d|\d{16}/;

/**
 * Parses JSON without rounding: an integer beyond the precision of a JavaScript number becomes a string of its digits, and
 * every `guild_id` becomes a string. `JSON.parse` with source text access would be enough, but Node 20 and older browsers
 * lack it.
 */
export function parseExactly(text: string): unknown {
  if (!MAY_HOLD_IDS.test(text)) return JSON.parse(text);
  const exact = text.replaceAll(STRING_OR_NUMBER, (token) => (isTooLong(token) ? `"${token}"` : token));
  return JSON.parse(exact, (name, value: unknown) =>
    name === "guild_id" && typeof value === "number" ? String(value) : value,
  );
}

function isTooLong(token: string): boolean {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}

/** Writes JSON without rounding: a bigint becomes a string. Throws TypeError for a number that has lost digits. */
export function stringifyExactly(value: object): string {
  return JSON.stringify(value, (name, each: unknown) => {
    if (typeof each === "bigint") return String(each);
    if (typeof each === "number" && Number.isInteger(each) && !Number.isSafeInteger(each)) {
      throw new TypeError(`${name} is a number that has lost digits: give it as a string or a bigint`);
    }
    return each;
  });
}
