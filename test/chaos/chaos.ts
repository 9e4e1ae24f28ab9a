import { type Cluster, startCluster } from "./cluster.ts";
import { type Fault, FAULTS } from "./faults.ts";
import { isKept, type Row, runFault } from "./run-fault.ts";

const COLUMNS = ["fault", "times", "due", "sent", "doubled", "lost", "early", "worstMs"] as const;

function print(row: Readonly<Record<(typeof COLUMNS)[number], unknown>>): void {
  const [first = "", ...rest] = COLUMNS.map((column) => String(row[column]));
  process.stdout.write(`${first.padEnd(64)}${rest.map((text) => text.padStart(8)).join("")}\n`);
}

async function inCluster(cluster: Cluster, faults: readonly Fault[], note = ""): Promise<Row[]> {
  const rows: Row[] = [];
  try {
    for (const fault of faults) {
      const row = await runFault(cluster, fault);
      print({ ...row, fault: note + row.fault });
      rows.push(row);
    }
  } finally {
    await cluster.stop();
  }
  return rows;
}

/**
 * Runs the faults whose names hold one of the words, or all, and prints the table as it grows. Then the negative
 * controls: the same with a receiver that knows no nonce must show doubles.
 */
async function main(words: readonly string[]): Promise<boolean> {
  const chosen = FAULTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const controls = chosen.filter(({ needsNonce }) => needsNonce === true);
  print(Object.fromEntries(COLUMNS.map((column) => [column, column])) as Record<(typeof COLUMNS)[number], string>);
  const rows = await inCluster(await startCluster(), chosen);
  if (controls.length === 0) return rows.every(isKept);
  const caught = await inCluster(await startCluster(0), controls, "without nonces: ");
  return rows.every(isKept) && !caught.some(isKept);
}

const isGood = await main(process.argv.slice(2));
process.stdout.write(isGood ? "The promise was kept.\n" : "The promise was broken, or a control showed nothing.\n");
process.exit(isGood ? 0 : 1);
