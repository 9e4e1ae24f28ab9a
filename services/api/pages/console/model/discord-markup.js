/**
 * A part of a text as Discord's client shows it. Nothing here is HTML: the view sets the texts.
 * @typedef {object} Part
 * @property {"text" | "bold" | "italic" | "underline" | "strike" | "code" | "mention" | "time" | "break"} kind
 * @property {string} text
 */

/**
 * The markup that posts contain, each with its pattern (Discord: Reference, Message Formatting). A backslash before a sign
 * makes it a plain one.
 * @type {readonly (readonly [kind: Part["kind"], pattern: RegExp])[]}
 */
const MARKUP = [
  ["break", /\n/y],
  ["text", /\\([!-/:-@[-`{-~])/y],
  ["code", /`([^`\n]{1,1000})`/y],
  ["bold", /\*\*([^*\n]{1,1000})\*\*/y],
  ["underline", /__([^_\n]{1,1000})__/y],
  ["strike", /~~([^~\n]{1,1000})~~/y],
  ["italic", /\*([^*\n]{1,1000})\*/y],
  ["mention", /<(@!?\d{1,20}|@&\d{1,20}|#\d{1,20})>/y],
  ["mention", /(@everyone|@here)/y],
  ["time", /<t:(-?\d{1,13}(?::[tTdDfFR])?)>/y],
];

/**
 * The parts of a text. `timeText` renders a time stamp: seconds since 1970 and Discord's style.
 * @param {string} text
 * @param {(seconds: number, style: string) => string} timeText
 * @returns {Part[]}
 */
export function partsOf(text, timeText) {
  /** @type {Part[]} */
  const parts = [];
  const add = (/** @type {Part["kind"]} */ kind, /** @type {string} */ value) => {
    const last = parts.at(-1);
    if (kind === "text" && last?.kind === "text") last.text += value;
    else parts.push({ kind, text: value });
  };
  for (let at = 0; at < text.length;) {
    const found = matchAt(text, at);
    if (found === undefined) {
      add("text", text.charAt(at));
      at += 1;
      continue;
    }
    const { kind, inner, length } = found;
    add(kind, kind === "time" ? shownTime(inner, timeText) : inner);
    at += length;
  }
  return parts;
}

/**
 * @param {string} text
 * @param {number} at
 */
function matchAt(text, at) {
  for (const [kind, pattern] of MARKUP) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) return { kind, inner: match[1] ?? "", length: match[0].length };
  }
  return undefined;
}

/**
 * @param {string} inner
 * @param {(seconds: number, style: string) => string} timeText
 */
function shownTime(inner, timeText) {
  const [seconds, style = "f"] = inner.split(":");
  return timeText(Number(seconds), style);
}

/**
 * The color of an embed as CSS has it.
 * @param {number} color 0xRRGGBB
 */
export const hexColor = (color) => `#${(color & 0xffffff).toString(16).padStart(6, "0")}`;
