const ELLIPSIS = "…";

/** UTF-16 units. No emoji or accented letter in use is longer; longer ones exist to break layouts. */
const MAX_CHARACTER_LENGTH = 64;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The text as Discord shows it: lone surrogates are replaced and outer white space is removed. "" if no character is
 * visible, because Discord refuses such a field or shows it empty.
 */
export function visibleText(text: string | undefined): string {
  if (text === undefined || !/[^\s\p{Cc}\p{Cf}\p{Z}]/u.test(text)) return "";
  return text.toWellFormed().trim();
}

/**
 * At most `maxLength` UTF-16 units of a well-formed text, with "…" as the last if the text was cut (D33). The cut is
 * between graphemes; inside a grapheme only if it is extremely long, and never inside a code point. A receiver that counts
 * code points never counts more.
 */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  if (maxLength < ELLIPSIS.length) return "";
  return text.slice(0, boundary(text, maxLength - ELLIPSIS.length)).trimEnd() + ELLIPSIS;
}

/** The last index at or before `at` where the text may be cut. */
function boundary(text: string, at: number): number {
  const start = graphemes.segment(text).containing(at)?.index ?? at;
  if (at - start <= MAX_CHARACTER_LENGTH) return start;
  return isInsideSurrogatePair(text, at) ? at - 1 : at;
}

function isInsideSurrogatePair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
