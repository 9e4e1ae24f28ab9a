import { english } from "./english.js";
import { japanese } from "./japanese.js";
import { portuguese } from "./portuguese.js";
import { spanish } from "./spanish.js";

/** @typedef {keyof typeof english} WordKey */
/** @typedef {(key: WordKey, values?: Readonly<Record<string, string | number>>) => string} Translate */

/**
 * The words of the console in each of its languages. Posts have more (D70).
 * @type {Readonly<Record<"ENGLISH" | "JAPANESE" | "PORTUGUESE" | "SPANISH", Readonly<Record<WordKey, string>>>>}
 */
export const WORDS = { ENGLISH: english, JAPANESE: japanese, PORTUGUESE: portuguese, SPANISH: spanish };

/**
 * Returns the text of a key, with values in the places of their `{names}`. A value is never read for names.
 * @param {keyof typeof WORDS} language
 * @returns {Translate}
 */
export function translator(language) {
  const words = WORDS[language];
  return (key, values = {}) => words[key].replaceAll(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}
