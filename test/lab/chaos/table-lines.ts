import { promisesHeld, type Row } from "./run-fault.ts";

const COLUMNS = ["times", "due", "sent", "doubled", "lost", "early", "refused", "worstMs"] as const;
const NAME_WIDTH = 58;
const WIDTH = 9;

export function headOf(): string {
  return `${"fault".padEnd(NAME_WIDTH)}${COLUMNS.map((column) => column.padStart(WIDTH)).join("")}\n`;
}

/** The row with the promises that were broken; for a control a second line with the guards that were removed. */
export function lineOf(row: Row): string {
  const counts = COLUMNS.map((column) => String(row[column]).padStart(WIDTH)).join("");
  const line = `${row.fault.padEnd(NAME_WIDTH)}${counts}  ${verdictOf(row)}\n`;
  return row.without === undefined ? line : `${line}  control, without: ${row.without}\n`;
}

function verdictOf(row: Row): string {
  const { doubled, lost, early, unexplained, broken, error } = row;
  if (error !== undefined) return `could not be run: ${error.split("\n", 1)[0]}`;
  const counted = Object.entries({ doubled, lost, early, unexplained }).filter(([, count]) => count > 0);
  const why = [...counted.map(([what, count]) => `${count} ${what}`), ...broken].join(", ");
  if (row.without === undefined) return promisesHeld(row) ? "kept" : `BROKEN: ${why}`;
  return promisesHeld(row) ? "PASSED, and must not" : `failed as it must: ${why}`;
}
