/** @import { PostOffset } from "./types.ts" */

/**
 * Offsets as the form has them, such as `START -1440, END 0` (D54).
 * @param {readonly PostOffset[]} [offsets]
 */
export const offsetsText = (offsets = []) => offsets.map(({ anchor, minutes }) => `${anchor} ${minutes}`).join(", ");

/**
 * The offsets of a text of the form. Minutes without an anchor count from the start. The service refuses what is no offset, and names
 * it.
 * @param {string} text
 * @returns {PostOffset[]}
 */
export const offsetsIn = (text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [first = "", ...rest] = entry.split(/\s+/);
      return isNumber(first)
        ? { anchor: "START", minutes: numberIn(entry) }
        : { anchor: first.toUpperCase(), minutes: numberIn(rest.join(" ")) };
    });

/** @param {string} text */
const isNumber = (text) => !Number.isNaN(numberIn(text));

/**
 * NaN for a text that is no number; a request has null in its place.
 * @param {string} text
 */
const numberIn = (text) => (text.trim() === "" ? Number.NaN : Number(text.replace("\u2212", "-")));
