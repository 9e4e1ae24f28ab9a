import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { readOptions, selectOnly } from "../options.ts";
import { PROJECT } from "../../harness/guildcal-process.ts";
import { startMongoSet } from "../../harness/mongo-set.ts";
import { type ShardKeys, startMongoShards } from "../../harness/mongo-shards.ts";
import { type MongoServers, startInstallation } from "./installation.ts";
import { runTrial, type TrialRow } from "./run-trial.ts";
import { QUIET, SHARDED, type Trial, TRIALS } from "./trials.ts";

/** The failed requests of a run that broke a promise, and the replicas' warnings. */
const LOG = "cluster.log";
const SHARD_KEYS = join(PROJECT, "k8s/components/sharded-mongodb/shard-keys.json");

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

function print({ trial, tally, writes, posts, staleReads, killedAfterGrace, isKept }: TrialRow): void {
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
    ...(staleReads > 0 ? [`reads that did not show an earlier write: ${staleReads}`] : []),
    ...(killedAfterGrace > 0 ? [`replicas that did not end within their grace time: ${killedAfterGrace}`] : []),
    ...(posts.early > 0 ? [`posts that were early: ${posts.early}`] : []),
    `latest post ${posts.worstMs} ms`,
  ];
  process.stdout.write(`    ${remarks.join(", ")}\n`);
}

/** Runs trials in one installation. The first one has no fault; the others are compared with it, since machines differ. */
async function inInstallation<Database extends MongoServers>(
  startMongo: (directory: string) => Promise<Database>,
  trials: readonly Trial<Database>[],
): Promise<boolean> {
  if (trials.length === 0) return true;
  const installation = await startInstallation(startMongo);
  try {
    const quiet = await runTrial(installation, QUIET);
    const rows = [quiet];
    print(quiet);
    for (const trial of trials) {
      const row = await runTrial(installation, trial, quiet.tally);
      print(row);
      rows.push(row);
    }
    const isGood = rows.every(({ isKept }) => isKept);
    const disturbed = rows
      .map((row) => `--- requests that failed or took over a second: ${row.trial}\n${row.disturbed.join("\n")}`)
      .join("\n");
    if (!isGood) await appendFile(LOG, `${disturbed}\n${installation.logs()}\n`);
    return isGood;
  } finally {
    await installation.stop();
  }
}

/** Runs the trials that `--only` selects, or all, and prints each row when it ends. */
async function main(): Promise<boolean> {
  const { only } = readOptions({ only: [] });
  const names = new Set(
    selectOnly(
      [...TRIALS, SHARDED].map(({ name }) => name),
      only,
      (name) => name,
    ),
  );
  const isChosen = ({ name }: { readonly name: string }) => names.has(name);
  const keys = JSON.parse(await readFile(SHARD_KEYS, "utf8")) as ShardKeys;
  await rm(LOG, { force: true });
  printLine(COLUMNS.map(([title]) => title));
  const onSet = await inInstallation(startMongoSet, TRIALS.filter(isChosen));
  const onShards = await inInstallation((folder) => startMongoShards(folder, keys), [SHARDED].filter(isChosen));
  return onSet && onShards;
}

const isGood = await main();
process.stdout.write(
  isGood
    ? "Every promise was kept.\n"
    : `A promise was broken: ${LOG} has the failed and slow requests and the replicas' warnings.\n`,
);
process.exit(isGood ? 0 : 1);
