import { writeFile } from "node:fs/promises";
import { readOptions, selectOnly } from "../options.ts";
import { CHANGES_ROWS } from "./changes/changes-row.ts";
import { stopChanges } from "./changes/run-changes.ts";
import { isAsExpectedOfChanges, runChangesRows } from "./changes/table-of-changes.ts";
import { DEMANDS_ROWS } from "./demands/demands-rows.ts";
import { stopDemands } from "./demands/run-demands.ts";
import { isAsExpectedOfDemands, runDemandsRows } from "./demands/table-of-demands.ts";
import type { Control, Fault } from "./faults/fault.ts";
import { FAULTS } from "./faults/table.ts";
import { promisesHeld, type Row, runFault, stopAll } from "./run-fault.ts";
import { headOf, lineOf } from "./table-lines.ts";

/** A row to run: the fault, or its control. */
interface PlannedRun {
  readonly fault: Fault;
  readonly control?: Control;
}

/** Number of concurrent runs; a busy machine needs fewer. */
const CONCURRENCY = 3;

function plannedRuns(fault: Fault, withControls: boolean): PlannedRun[] {
  const { control } = fault;
  return typeof control === "string" || !withControls ? [{ fault }] : [{ fault }, { fault, control }];
}

/** Runs the longest rows first, and prints each row when it ends. */
async function run(all: readonly PlannedRun[], concurrency: number): Promise<Row[]> {
  const waiting = all.toSorted((one, other) => other.fault.shape.spreadMs - one.fault.shape.spreadMs);
  const rows: Row[] = [];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const row = await runFault(next.fault, next.control);
      process.stdout.write(lineOf(row));
      rows.push(row);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return rows;
}

/** The promise must be kept with the fault, and broken in its control. A row that could not be run shows nothing. */
function isAsExpected(row: Row): boolean {
  return row.error === undefined && promisesHeld(row) === (row.without === undefined);
}

async function main(): Promise<boolean> {
  const { only, json, lanes, writes, ...flags } = readOptions({
    only: [],
    json: String,
    lanes: CONCURRENCY,
    writes: Number,
    "without-controls": false,
  });
  const withControls = !flags["without-controls"];
  const names = new Set(
    selectOnly([...FAULTS, ...DEMANDS_ROWS, ...CHANGES_ROWS], only, ({ name }) => name).map(({ name }) => name),
  );
  const chosen = FAULTS.filter(({ name }) => names.has(name));
  process.stdout.write(headOf());
  const beside = chosen.filter(({ isAlone = false }) => !isAlone).flatMap((fault) => plannedRuns(fault, withControls));
  const alone = chosen.filter(({ isAlone = false }) => isAlone).flatMap((fault) => plannedRuns(fault, withControls));
  const rows = [...(await run(beside, lanes)), ...(await run(alone, 1))];
  for (const { name, control } of chosen)
    if (typeof control === "string") process.stdout.write(`${name}: ${control}\n`);
  const print = (line: string) => void process.stdout.write(line);
  const ofDemands = await runDemandsRows(names, withControls, print);
  const ofChanges = await runChangesRows(names, { writes, withControls }, print);
  if (json !== undefined) await writeFile(json, JSON.stringify([...rows, ...ofDemands, ...ofChanges], undefined, 2));
  return rows.every(isAsExpected) && ofDemands.every(isAsExpectedOfDemands) && ofChanges.every(isAsExpectedOfChanges);
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(
    signal,
    () => void Promise.all([stopAll(), stopDemands(), stopChanges()]).finally(() => process.exit(1)),
  );
}
const isGood = await main();
process.stdout.write(isGood ? "The promise was kept.\n" : "The promise was broken, or a control showed nothing.\n");
process.exit(isGood ? 0 : 1);
