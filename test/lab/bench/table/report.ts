import { execFile } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";
import { promisify } from "node:util";
import type { Pace } from "../requests/measure.ts";
import { boundText, spreadText, type TableRow, valueText, verdictText } from "./table-row.ts";

/** A section of a run. One that failed has no rows. */
export interface SectionReport {
  readonly name: string;
  /** The heading of README.md that describes the measurement. */
  readonly heading: string;
  readonly rows: readonly TableRow[];
  readonly figures?: unknown;
  readonly failure?: string;
}

/** The time, machine and commit of a run. */
export interface RunContext {
  readonly at: string;
  readonly commit: string;
  readonly machine: string;
  /** The load averages of one, five and fifteen minutes before the run. Above 0.5 other programs use the machine. */
  readonly load: readonly string[];
  readonly pace: Pace;
}

export interface Report extends RunContext {
  readonly sections: readonly SectionReport[];
}

export async function contextOf(pace: Pace): Promise<RunContext> {
  const { stdout } = await promisify(execFile)("git", ["describe", "--always", "--dirty"], {
    cwd: import.meta.dirname,
  });
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return {
    at: new Date().toISOString(),
    commit: stdout.trim(),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${gibibytes} GiB, Node ${process.version}`,
    load: loadavg().map((load) => load.toFixed(2)),
    pace,
  };
}

export function isWhollyHeld({ sections }: Pick<Report, "sections">): boolean {
  return sections.every(
    ({ rows, failure }) => failure === undefined && rows.every((row) => verdictText(row) !== "missed"),
  );
}

/** A line for each figure of a section, in columns. */
export function linesOf({ name, rows, failure }: SectionReport): string[] {
  if (failure !== undefined) return [`failed  ${name}: ${failure}`];
  const cells = rows.map((row) => [
    verdictText(row),
    row.row,
    row.figure,
    boundText(row),
    valueText(row),
    spreadText(row),
  ]);
  const widths = [0, 1, 2, 3, 4, 5].map((at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells.map(
    (line, at) => `${line.map((cell, of) => cell.padEnd(widths[of] ?? 0)).join("  ")}  ${rows[at]?.detail}`,
  );
}
