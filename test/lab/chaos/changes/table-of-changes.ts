import { CHANGES_ROWS, type ChangesControl, type ChangesRow } from "./changes-row.ts";
import { type ChangesOutcome, runChanges } from "./run-changes.ts";

/** The outcome of a row of changes, or of one of its controls. */
export interface ChangesReport {
  readonly row: string;
  readonly control?: ChangesControl;
  readonly outcome?: ChangesOutcome;
  /** Why the row could not be run. */
  readonly error?: string;
}

interface ChangesOptions {
  /** Replaces the number of writes of each row, not of its controls. */
  readonly writes: number | undefined;
  readonly withControls: boolean;
}

/** Runs the rows with these names, each with its controls, one after the other, and prints the progress and the outcomes. */
export async function runChangesRows(
  names: ReadonlySet<string>,
  { writes, withControls }: ChangesOptions,
  print: (line: string) => void,
): Promise<ChangesReport[]> {
  const reports: ChangesReport[] = [];
  for (const row of CHANGES_ROWS.filter(({ name }) => names.has(name))) {
    for (const control of [undefined, ...(withControls ? row.controls : [])]) {
      const report = await runOne(writes === undefined ? row : { ...row, writes }, control, print);
      print(lineOfChanges(report));
      reports.push(report);
    }
  }
  return reports;
}

async function runOne(
  row: ChangesRow,
  control: ChangesControl | undefined,
  print: (line: string) => void,
): Promise<ChangesReport> {
  const about = { row: row.name, ...(control === undefined ? {} : { control }) };
  try {
    const outcome = await runChanges(control ?? row, control?.without ?? [], print);
    return { ...about, outcome };
  } catch (error) {
    return { ...about, error: String(error) };
  }
}

/** The promise must be kept, and each control must break its promise. */
export function isAsExpectedOfChanges({ control, outcome }: ChangesReport): boolean {
  if (outcome === undefined) return false;
  if (control === undefined) return outcome.broken.length === 0;
  return outcome.broken.some((sentence) => sentence.includes(control.breaks));
}

function lineOfChanges(report: ChangesReport): string {
  const { row, control, outcome, error } = report;
  const name = control === undefined ? row : `  control, without: ${control.without.join("; ")}`;
  if (outcome === undefined) return `${name}\n  could not be run: ${error?.split("\n", 1)[0]}\n`;
  const { kills, writes, streamed, listed, requests, records, seconds, broken } = outcome;
  const counts = [
    `${kills} kills, ${writes} writes of ${records} records in ${seconds} s`,
    `${streamed} revisions by stream, ${listed} by list, ${requests} requests of webhooks`,
  ];
  const why = broken.length === 0 ? "nothing broken" : broken.join(", ");
  return `${name}\n  ${counts.join("; ")}: ${verdictOf(report, why)}\n`;
}

function verdictOf(report: ChangesReport, why: string): string {
  const isExpected = isAsExpectedOfChanges(report);
  if (report.control === undefined) return isExpected ? "kept" : `BROKEN: ${why}`;
  return isExpected ? `failed as it must: ${why}` : `PASSED, and must not: ${why}`;
}
