import type { EventTexts } from "../../../contracts/calendar-events.contract.ts";
import { searchWords } from "../../../contracts/event-pages.contract.ts";

/** Whether the texts of an event match a search. */
export type TextMatch = (texts: EventTexts) => boolean;

/** The texts that a search reads. */
const SEARCHED = ["name", "description", "location"] as const satisfies readonly (keyof EventTexts)[];

/**
 * Matches an event if each word occurs in one of its texts, also as a part of a longer word. Case is ignored, and so are
 * differences that the Unicode normalization NFKC removes, such as full-width letters. Accents are significant.
 */
export function textMatch(searched: string): TextMatch {
  const words = searchWords(searched).map(foldCase);
  return (texts) => {
    const present = SEARCHED.flatMap((text) => texts[text] ?? []).map(foldCase);
    return words.every((word) => present.some((text) => text.includes(word)));
  };
}

/** Folds case in two steps, so that ẞ, ß and SS become equal, and so do the three forms of sigma. */
function foldCase(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase();
}
