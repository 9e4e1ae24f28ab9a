import { writeFile } from "node:fs/promises";
import { readOptions, selectOnly } from "../options.ts";
import type { Control, Fault } from "./faults/fault.ts";
import { FAULTS } from "./faults/table.ts";
import { isKept, type Row, runFault, stopAll } from "./run-fault.ts";
import { headOf, lineOf } from "./table-lines.ts";

/** A row that is to be run: the fault, or its control. */
interface Planned {
  readonly fault: Fault;
  readonly control?: Control;
}

/** Runs that don't disturb each other, side by side; a busy machine needs fewer. */
const LANES = 3;

function planned(fault: Fault): Planned[] {
  const { control } = fault;
  return typeof control === "string" ? [{ fault }] : [{ fault }, { fault, control }];
}

/** Runs them, so many at a time, the longest first; each is printed when it ends. */
async function run(all: readonly Planned[], lanes: number): Promise<Row[]> {
  const waiting = all.toSorted((one, other) => other.fault.shape.spreadMs - one.fault.shape.spreadMs);
  const rows: Row[] = [];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const row = await runFault(next.fault, next.control);
      process.stdout.write(lineOf(row));
      rows.push(row);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return rows;
}

/** A row must be kept, and a control must not be; what could not be run shows nothing. */
function isAsItMust(row: Row): boolean {
  return row.error === undefined && isKept(row) === (row.without === undefined);
}

async function main(): Promise<boolean> {
  const { only, json, lanes } = readOptions({ only: [], json: String, lanes: LANES });
  const chosen = selectOnly(FAULTS, only, ({ name }) => name);
  process.stdout.write(headOf());
  const beside = chosen.filter(({ isAlone = false }) => !isAlone).flatMap(planned);
  const alone = chosen.filter(({ isAlone = false }) => isAlone).flatMap(planned);
  const rows = [...(await run(beside, lanes)), ...(await run(alone, 1))];
  for (const { name, control } of chosen)
    if (typeof control === "string") process.stdout.write(`${name}: ${control}\n`);
  if (json !== undefined) await writeFile(json, JSON.stringify(rows, undefined, 2));
  return rows.every(isAsItMust);
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stopAll().finally(() => process.exit(1)));
const isGood = await main();
process.stdout.write(isGood ? "The promise was kept.\n" : "The promise was broken, or a control showed nothing.\n");
process.exit(isGood ? 0 : 1);
