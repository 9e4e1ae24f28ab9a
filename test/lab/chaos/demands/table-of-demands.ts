import { DEMANDS_ROWS, type DemandsControl, type DemandsRow } from "./demands-rows.ts";
import { type DemandsOutcome, runDemands } from "./run-demands.ts";

/** The outcome of a row of demands, or of one of its controls. */
export interface DemandsReport {
  readonly row: string;
  readonly control?: DemandsControl;
  readonly outcome?: DemandsOutcome;
  /** Why the row could not be run. */
  readonly error?: string;
}

/** Runs the rows with these names, each with its controls, one after the other, and prints the kills and the outcomes. */
export async function runDemandsRows(
  names: ReadonlySet<string>,
  withControls: boolean,
  print: (line: string) => void,
): Promise<DemandsReport[]> {
  const reports: DemandsReport[] = [];
  for (const row of DEMANDS_ROWS.filter(({ name }) => names.has(name))) {
    for (const control of [undefined, ...(withControls ? row.controls : [])]) {
      const report = await runOne(row, control, print);
      print(lineOfDemands(report));
      reports.push(report);
    }
  }
  return reports;
}

async function runOne(
  row: DemandsRow,
  control: DemandsControl | undefined,
  print: (line: string) => void,
): Promise<DemandsReport> {
  const about = { row: row.name, ...(control === undefined ? {} : { control }) };
  try {
    return { ...about, outcome: await runDemands(control ?? row, control?.setup ?? {}, print) };
  } catch (error) {
    return { ...about, error: String(error) };
  }
}

/** The promise must be kept, and each control must break its promise. */
export function isAsExpectedOfDemands({ control, outcome }: DemandsReport): boolean {
  if (outcome === undefined) return false;
  if (control === undefined) return outcome.broken.length === 0;
  return outcome.broken.some((sentence) => sentence.includes(control.breaks));
}

function lineOfDemands(report: DemandsReport): string {
  const { row, control, outcome, error } = report;
  const name = control === undefined ? row : `  control, without: ${control.name}`;
  if (outcome === undefined) return `${name}\n  could not be run: ${error?.split("\n", 1)[0]}\n`;
  const { kills, due, sent, certainlyPaused, paused, digests, edits, seconds, broken } = outcome;
  const { worstMs, lateReason } = outcome;
  const late = lateReason === "" ? "" : ` since ${lateReason}`;
  const counts = [
    `${kills} kills in ${seconds} s; ${due} posts demanded, ${certainlyPaused} of them in a pause`,
    `${sent} sent, ${paused} skipped by a pause, ${digests} digests, ${edits} edits, worst ${worstMs} ms${late}`,
  ];
  const why = broken.length === 0 ? "nothing broken" : broken.join(", ");
  return `${name}\n  ${counts.join("; ")}: ${verdictOf(report, why)}\n`;
}

function verdictOf(report: DemandsReport, why: string): string {
  const isExpected = isAsExpectedOfDemands(report);
  if (report.control === undefined) return isExpected ? "kept" : `BROKEN: ${why}`;
  return isExpected ? `failed as it must: ${why}` : `PASSED, and must not: ${why}`;
}
