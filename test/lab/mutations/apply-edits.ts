import type { Edit } from "./remove-guard.ts";

/** The source after the edits, which do not overlap. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  const fromTheEnd = [...edits].sort((one, other) => other.from - one.from);
  return fromTheEnd.reduce((text, { from, until, text: own }) => text.slice(0, from) + own + text.slice(until), source);
}
