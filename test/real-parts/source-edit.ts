import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A text that occurs once in a file, and what replaces it when a protection is taken out. */
export interface SourceEdit {
  readonly file: string;
  readonly text: string;
  readonly without: string;
}

const LOADER = pathToFileURL(join(import.meta.dirname, "take-out.ts")).href;

/** The `NODE_OPTIONS` of a process that runs with these edits; empty without edits. */
export function optionsWithEdits(edits: readonly SourceEdit[]): string {
  if (edits.length === 0) return "";
  return `--import=${LOADER}?${encodeURIComponent(JSON.stringify(edits)).replaceAll("'", "%27")}`;
}
