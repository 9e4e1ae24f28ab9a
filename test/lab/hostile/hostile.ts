import process, { stdout } from "node:process";
import { readOptions, selectOnly } from "../options.ts";
import { runMixedLoad } from "./mixed-load.ts";
import type { HostileRow } from "./row.ts";
import { ROWS } from "./rows/table.ts";
import { type RowOutcome, runRow } from "./run-row.ts";

const MIXED = "mixed";
const HEAD = ["before", "during", "normal after", "latest post"];

function line({ row, control, before, during, normalAfter, latestPost, largest, broken }: RowOutcome): string {
  const figures = [
    `${before.toFixed(0)} ms`,
    `${during.toFixed(0)} ms`,
    `${normalAfter ?? "never"} s`,
    `${latestPost} ms`,
  ];
  const name = control === undefined ? row : `  without: ${control}`;
  const cells = figures.map((figure, at) => figure.padStart(HEAD[at]!.length)).join("  ");
  return `${name.padEnd(60)}  ${cells}  ${largest}  ${verdict(control !== undefined, broken)}\n`;
}

function verdict(isControl: boolean, broken: readonly string[]): string {
  if (isControl) return broken.length > 0 ? `fails, as it must: ${broken.join("; ")}` : "HOLDS, AND MUST NOT";
  return broken.length === 0 ? "holds" : `BROKEN: ${broken.join("; ")}`;
}

/** Whether the row held, or its control failed. */
async function isAsExpected(row: HostileRow, isControl: boolean): Promise<boolean> {
  const outcome = await runRow(row, isControl);
  stdout.write(line(outcome));
  return isControl ? outcome.broken.length > 0 : outcome.broken.length === 0;
}

async function main(): Promise<boolean> {
  const { only, mode, ...flags } = readOptions({ only: [], "without-controls": false, mode: "all" });
  const names = new Set(selectOnly([MIXED, ...ROWS.map(({ name }) => name)], only, (name) => name));
  const rows = ROWS.filter(({ name }) => names.has(name));
  let isGood = true;
  if (names.has(MIXED)) {
    const problems = await runMixedLoad(mode);
    for (const problem of problems) stdout.write(`${problem}\n`);
    isGood = problems.length === 0;
  }
  stdout.write(`${"the neighbour's p99".padEnd(60)}  ${HEAD.join("  ")}  largest process\n`);
  for (const row of rows) {
    isGood = (await isAsExpected(row, false)) && isGood;
    if (!flags["without-controls"]) isGood = (await isAsExpected(row, true)) && isGood;
  }
  return isGood;
}

process.exitCode = (await main()) ? 0 : 1;
