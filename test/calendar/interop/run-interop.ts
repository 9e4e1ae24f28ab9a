import { importInMemory } from "../import-file.ts";
import { IcalJsReader } from "./ical-js-reader.ts";
import { comparedStarts, type InteropSeries, interopSeries, isReadDifferently } from "./interop-series.ts";
import { isReadWrong, PACKAGES, type ReadByOthers, readByOthers } from "./other-readers.ts";
import { partsOf } from "./rule-parts.ts";

/** Series of a reader with the starts that we compute, those that it refuses, and the others by the parts of their rules. */
interface Row {
  same: number;
  refused: number;
  readonly different: Map<string, number>;
}

/** Whose starts differ, and by which parts. */
class Table {
  readonly #rows = new Map<string, Row>();

  add(reader: string, series: InteropSeries, isSame: boolean | "refused"): void {
    const row = this.#rows.get(reader) ?? { same: 0, refused: 0, different: new Map<string, number>() };
    this.#rows.set(reader, row);
    const parts = partsOf(series.rrule);
    if (isSame === "refused") row.refused += 1;
    else if (isSame) row.same += 1;
    else row.different.set(parts, (row.different.get(parts) ?? 0) + 1);
  }

  /** Prints the rows, and returns the number of differences of the given readers. */
  print(counted: readonly string[]): number {
    let differences = 0;
    for (const [reader, { same, refused, different }] of this.#rows) {
      const count = [...different.values()].reduce((sum, each) => sum + each, 0);
      if (counted.includes(reader)) differences += count;
      const numbers = [`${same} the same`, `${count} different`, ...(refused === 0 ? [] : [`${refused} refused`])];
      process.stdout.write(`${reader.padEnd(40)} ${numbers.join(", ")}\n`);
      const most = [...different].toSorted(([, one], [, other]) => other - one);
      for (const [parts, number] of most)
        process.stdout.write(`${" ".repeat(38)}${String(number).padStart(4)}  ${parts}\n`);
    }
    return differences;
  }
}

const icalJs = new IcalJsReader();

/** Different in this row: dateutil and libical have the same starts, and we have others. */
const OTHERS_AGREE = "against dateutil and libical together";

async function compare(all: readonly InteropSeries[], read: readonly ReadByOthers[], table: Table): Promise<void> {
  for (const [at, series] of all.entries()) {
    const others = read[at] as ReadByOthers;
    const compared = (starts: readonly number[] | undefined) =>
      starts && JSON.stringify(comparedStarts(series, starts));
    const ours = compared(series.starts);
    const theirs = { dateutil: compared(others.starts.dateutil), libical: compared(others.starts.libical) };
    for (const reader of ["dateutil", "libical"] as const) {
      const name = theirs[reader] !== ours && isReadWrong(reader, series) ? `${reader}, by a known defect` : reader;
      table.add(`ours, read by ${name}`, series, theirs[reader] === undefined ? "refused" : theirs[reader] === ours);
    }
    const isOutvoted = theirs.dateutil !== ours && theirs.dateutil === theirs.libical;
    table.add(OTHERS_AGREE, series, !isOutvoted);
    const isAgreed = theirs.dateutil === ours && theirs.libical === ours;
    const byIcalJs = compared(await icalJs.starts(series));
    table.add(`ours, read by ical.js${isAgreed ? "" : ", others differ"}`, series, byIcalJs === ours);
    for (const writer of ["icalendar", "libical"] as const) {
      const imported = await importInMemory(others.written[writer], series.timezone);
      const isSame = imported.findings.length === 0 && compared(imported.starts(series.window)) === ours;
      table.add(`written by ${writer}, read by us`, series, isSame);
    }
  }
}

/**
 * `npm run test:interop`: the 300 series of the interop matrix in both directions with libraries of the distribution, then
 * series with rules that programs read differently, which are only shown.
 */
async function main(): Promise<number> {
  const matrix = await interopSeries();
  const read = await readByOthers(matrix);
  if (read === undefined) {
    process.stdout.write(`Skipped: the libraries are not installed (Debian: apt-get install -y ${PACKAGES})\n`);
    return 0;
  }
  const table = new Table();
  await compare(matrix, read, table);
  const both = ["dateutil", "libical"].map((reader) => `ours, read by ${reader}`);
  const differences = table.print([
    ...both,
    OTHERS_AGREE,
    ...["icalendar", "libical"].map((writer) => `written by ${writer}, read by us`),
  ]);
  process.stdout.write("\nRules that programs read differently:\n");
  const disputed = await interopSeries(isReadDifferently);
  const disputedTable = new Table();
  await compare(disputed, (await readByOthers(disputed)) ?? [], disputedTable);
  disputedTable.print([]);
  return differences === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} finally {
  await icalJs.close();
}
