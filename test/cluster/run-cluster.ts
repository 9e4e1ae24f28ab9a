import { writeFile } from "node:fs/promises";
import { startInstallation } from "./installation.ts";
import { runTrial, type TrialRow } from "./run-trial.ts";
import type { Tally } from "./tally.ts";
import { type Trial, TRIALS } from "./trials.ts";

/** The replicas' warnings of a run that was not good. */
const LOG = "cluster.log";

const COLUMNS = [
  ["trial", 60],
  ["requests", 9],
  ["reads failed", 13],
  ["writes failed", 14],
  ["repeated", 9],
  ["p50 ms", 7],
  ["worst ms", 9],
  ["disturbed ms", 13],
  ["writes lost/doubled", 20],
  ["posts due/sent/doubled/lost", 28],
] as const;

function printLine(cells: readonly (string | number)[]): void {
  const [first = "", ...rest] = COLUMNS.map(([, width], at) =>
    at === 0 ? String(cells[at]).padEnd(width) : String(cells[at]).padStart(width),
  );
  process.stdout.write(`${first}${rest.join("")}\n`);
}

function print({ trial, tally, writes, posts, unseen, overstayed, isKept }: TrialRow): void {
  printLine([
    isKept ? trial : `BROKEN ${trial}`,
    tally.requests,
    tally.failedReads,
    tally.failedWrites,
    tally.repeated,
    tally.p50Ms,
    tally.worstMs,
    tally.disturbedMs,
    `${writes.lostWrites}/${writes.doubledWrites} of ${writes.promised}`,
    [posts.due, posts.sent, posts.doubled, posts.lost].join("/"),
  ]);
  const remarks = [
    ...Object.entries(tally.failures).map(([kind, count]) => `${kind}: ${count}`),
    ...(unseen > 0 ? [`answered writes that a read did not show: ${unseen}`] : []),
    ...(overstayed > 0 ? [`replicas that had to be killed: ${overstayed}`] : []),
    ...(posts.early > 0 ? [`posts that were early: ${posts.early}`] : []),
    `latest post ${posts.worstMs} ms`,
  ];
  process.stdout.write(`    ${remarks.join(", ")}\n`);
}

/**
 * Runs the trials whose names hold one of the words, or all, and prints the table as it grows. The first row, in which
 * nothing happens, is what the others are held against: machines differ.
 */
async function main(words: readonly string[]): Promise<boolean> {
  const [first, ...others] = TRIALS as [Trial, ...Trial[]];
  const chosen = others.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const installation = await startInstallation();
  printLine(COLUMNS.map(([title]) => title));
  let isGood = true;
  let quiet: Tally | undefined;
  try {
    for (const trial of [first, ...chosen]) {
      const row = await runTrial(installation, trial, quiet);
      quiet ??= row.tally;
      print(row);
      isGood &&= row.isKept;
    }
    if (!isGood) await writeFile(LOG, installation.logged());
  } finally {
    await installation.stop();
  }
  return isGood;
}

const isGood = await main(process.argv.slice(2));
process.stdout.write(
  isGood ? "Every promise was kept.\n" : `A promise was broken: ${LOG} has the replicas' warnings.\n`,
);
process.exit(isGood ? 0 : 1);
