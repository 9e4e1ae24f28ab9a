/** A string or a number of a JSON text. Strings are found whole, so that digits inside them stay as they are. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** A text that may hold a number that `JSON.parse` rounds, or the id of a guild as a number. */
const MAY_HOLD_IDS = /"guild_id":\s*\d|\d{16}/;

/**
 * Parses JSON without rounding: an integer that a JavaScript number can't hold becomes a string of its digits, and so does
 * each `guild_id`, of whatever length. `JSON.parse` with source text access would do, but Node 20 and older browsers lack it.
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

/** Writes JSON without rounding: a bigint becomes a string. Throws TypeError for a number that has lost digits already. */
export function stringifyExactly(value: object): string {
  return JSON.stringify(value, (name, each: unknown) => {
    if (typeof each === "bigint") return String(each);
    if (typeof each === "number" && Number.isInteger(each) && !Number.isSafeInteger(each)) {
      throw new TypeError(`${name} is a number that has lost digits: give it as a string or a bigint`);
    }
    return each;
  });
}
