import { execFile } from "node:child_process";
import { cpus, totalmem } from "node:os";
import { promisify } from "node:util";
import { type Line, printLines } from "../line.ts";
import type { Comparison, Figures } from "./compare.ts";
import type { Life } from "./life.ts";
import type { Pace } from "./rows.ts";

/** What was measured, and where. */
export interface Report {
  readonly at: string;
  readonly commit: string;
  readonly machine: string;
  readonly pace: Pace;
  readonly comparisons: readonly Comparison[];
  readonly lives: readonly Life[];
  /** The main rows of the other benches. */
  readonly lines: readonly Line[];
}

export async function reportOf(measured: Pick<Report, "comparisons" | "lives" | "lines" | "pace">): Promise<Report> {
  const { stdout } = await promisify(execFile)("git", ["describe", "--always", "--dirty"]);
  const [cpu] = cpus();
  const machine = `${cpus().length} x ${cpu?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  return { at: new Date().toISOString(), commit: stdout.trim(), machine, ...measured };
}

/** One table: a line for each comparison, `ok` or `MISS`, with the figures that are bounded marked by their bounds. */
export function printReport({ at, commit, machine, pace, comparisons, lives, lines: others }: Report): void {
  console.log(`${at}  ${commit}  ${machine}`);
  console.log(
    `${pace.rounds} rounds of ${pace.requests} requests, ${pace.connections} at once; medians, ours : theirs`,
  );
  const lines = comparisons.map((each) => [
    each.held ? "ok" : "MISS",
    each.row,
    each.beside,
    ...(["perSecond", "p50", "p99", "cpu"] as const).map((figure) => bounded(each, figure)),
    figures(each.ours) + byProcess(each),
    figures(each.theirs),
  ]);
  const head = ["", "row", "beside", "requests/s", "p50", "p99", "CPU/request", "ours", "theirs"];
  if (lines.length > 0) printColumns([head, ...lines]);
  for (const life of lives) console.log(lifeLine(life));
  printLines(others);
}

const MAX_DRIFT = 1.02;

/** Whether memory went on to grow with the requests. */
export function drifts({ drift }: Life): boolean {
  return drift > MAX_DRIFT;
}

function lifeLine(life: Life): string {
  const memory = Object.entries(life.rssMiB).map(
    ([when, mib]) => `${when} ${mib.toFixed(0)} (held ${life.heldMiB[when]?.toFixed(1)})`,
  );
  const start = `ready after ${life.startMs.toFixed(0)} ms, ${life.startCpuMs.toFixed(0)} ms of CPU`;
  const drift = `held, last to second ${life.drift.toFixed(3)} <= ${MAX_DRIFT}`;
  return `${drifts(life) ? "MISS" : "ok  "}  one process: ${start}; resident MiB by requests: ${memory.join(", ")}; ${drift}`;
}

function bounded({ ratio, bounds }: Comparison, figure: keyof Figures): string {
  const bound = bounds.find((each) => each.figure === figure);
  const limits = [
    bound?.least === undefined ? "" : ` >= ${bound.least}`,
    bound?.most === undefined ? "" : ` <= ${bound.most}`,
  ];
  return ratio[figure].toFixed(2) + limits.join("");
}

function byProcess({ cpuOf }: Comparison): string {
  const each = Object.entries(cpuOf).filter(([, cpu]) => cpu >= 1);
  return each.length < 2 ? "" : ` (${each.map(([name, cpu]) => `${name} ${cpu.toFixed(0)}`).join(", ")})`;
}

function figures({ perSecond, p99, cpu }: Figures): string {
  return `${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms, ${cpu.toFixed(0)} us`;
}

function printColumns(lines: readonly (readonly string[])[]): void {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
