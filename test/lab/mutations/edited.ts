import type { Edit } from "./take-out.ts";

/** The source with edits of other parts each. */
export function edited(source: string, edits: readonly Edit[]): string {
  const fromTheEnd = [...edits].sort((one, other) => other.from - one.from);
  return fromTheEnd.reduce((text, { from, until, text: own }) => text.slice(0, from) + own + text.slice(until), source);
}
