const ELLIPSIS = "…";

/** No emoji or accented letter in use is longer; what is, is letters piled up to break a layout. */
const LONGEST_CHARACTER = 64;

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The text as it can be shown: lone surrogates replaced, outer white space off, as the receiver does both. "" when
 * nothing in it is visible: a field of zero-width characters alone would be refused, or look empty.
 */
export function shown(text: string | undefined): string {
  if (text === undefined || !/[^\s\p{Cc}\p{Cf}\p{Z}]/u.test(text)) return "";
  return text.toWellFormed().trim();
}

/**
 * At most `most` UTF-16 units of a well-formed text, the last of them "…" when something was cut off (D33). Cuts
 * between characters as a reader sees them; inside one only when it is absurdly long, and never inside a code point.
 * The receiver may count code points: that is never more.
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  if (most < ELLIPSIS.length) return "";
  return text.slice(0, boundary(text, most - ELLIPSIS.length)).trimEnd() + ELLIPSIS;
}

/** The last place at or before `at` where the text may be cut. */
function boundary(text: string, at: number): number {
  const start = characters.segment(text).containing(at)?.index ?? at;
  if (at - start <= LONGEST_CHARACTER) return start;
  return isInsidePair(text, at) ? at - 1 : at;
}

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
