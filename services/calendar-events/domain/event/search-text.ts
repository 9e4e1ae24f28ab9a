import type { EventTexts } from "../../../contracts/calendar-events.contract.ts";
import { searchWords } from "../../../contracts/event-pages.contract.ts";

/** Whether the texts of an event match a search. */
export type TextMatch = (texts: EventTexts) => boolean;

/** The texts that a search reads. */
const SEARCHED = ["name", "description", "location"] as const satisfies readonly (keyof EventTexts)[];

/**
 * Matches texts in which every word occurs, in any of the texts and also within a word; upper and lower case are the same, and
 * so are the forms of a character that Unicode (NFKC) regards as the same. Accents count.
 */
export function textMatch(searched: string): TextMatch {
  const words = searchWords(searched).map(foldCase);
  return (texts) => {
    const present = SEARCHED.flatMap((text) => texts[text] ?? []).map(foldCase);
    return words.every((word) => present.some((text) => text.includes(word)));
  };
}

/** Two steps: ẞ, ß and SS have one form, and so have the three sigmas. */
function foldCase(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase();
}
