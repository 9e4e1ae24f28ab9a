import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedMongod, startMongod } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { removeFolder } from "../../../harness/remove-folder.ts";
import { readOptions, selectOnly } from "../../options.ts";
import { median } from "../requests/figures.ts";
import { databaseNamed } from "../requests/subjects.ts";
import { printBytes, printCosts, printPhase, print } from "./figures-of-scale.ts";
import { type Bus, startBus } from "./dispatch-run.ts";
import { measureDispatch } from "./measure-dispatch.ts";
import { planAllWith, prepareSweep, sweepWith } from "./planning-replicas.ts";
import { compareRequests, type Subject } from "./request-costs.ts";
import { connectTo, fillGuilds, storedBytes } from "./scale-database.ts";
import { compareShards } from "./shard-costs.ts";
import { isAnnouncing } from "./synthetic-guilds.ts";

// Measures what a number of guilds costs (README.md, "Guilds"). Each figure is printed with its unit.

const HOUR = 3_600_000;
/** A list at the largest number of guilds costs at most this factor of one at the smallest. */
const MAX_LIST_RATIO = 1.2;
/** A list on two shards costs at most this factor of one on one shard. */
const MAX_SHARDED_LIST_RATIO = 1.3;
/** Two replicas of dispatch plan at least this factor of the guilds that one plans. */
const MIN_REPLICAS_RATIO = 1.8;
/** So many guilds are due again that two replicas plan them for two minutes. */
const SWEPT_GUILDS = 40_000;

const PARTS = ["requests", "dispatch", "shards", "replicas"] as const;

const { guilds, from, rounds, minutes, changes, only } = readOptions({
  guilds: 1_000_000,
  from: 10_000,
  rounds: 5,
  minutes: 20,
  changes: Number,
  only: [],
});
const chosen = new Set(selectOnly(PARTS, only, (part) => part));
const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-scale-"));
let isGood = true;
try {
  if (chosen.has("requests") || chosen.has("dispatch") || chosen.has("replicas")) {
    const mongod = await startMongod(directory);
    try {
      await measureOn(mongod);
    } finally {
      await mongod.stop();
    }
  }
  if (chosen.has("shards")) {
    const costs = await compareShards(directory, from, rounds);
    const ratio = printCosts("two shards ÷ one shard", costs, ["one shard", "two shards"]);
    isGood &&= ratio <= MAX_SHARDED_LIST_RATIO;
  }
} finally {
  await removeFolder(directory);
}
process.exitCode = isGood ? 0 : 1;

async function measureOn(mongod: EmbeddedMongod): Promise<void> {
  const subjectOf = (count: number) => ({ guilds: count, mongoUrl: databaseNamed(mongod.url, `guilds_${count}`) });
  const isLargest = chosen.has("requests") || chosen.has("dispatch");
  const counts = [...new Set([Math.min(from, guilds), ...(isLargest ? [guilds] : [])])];
  const subjects = counts.map(subjectOf);
  const swept = subjectOf(SWEPT_GUILDS);
  // The rows are two hours old, so that the changes of the last hour come after them.
  const writtenAt = Date.now() - 2 * HOUR;
  const filled = chosen.has("replicas") ? [...subjects, swept] : subjects;
  for (const subject of filled) await fill(subject, writtenAt);
  if (chosen.has("requests")) {
    const ratio = printCosts(
      `${guilds} guilds ÷ ${counts[0]} guilds`,
      await compareRequests(subjects, rounds),
      counts.map((count) => `${count} guilds`),
    );
    isGood &&= ratio <= MAX_LIST_RATIO;
  }
  const bus = await startBus();
  try {
    if (chosen.has("replicas")) await compareReplicas(subjects[0] as Subject, swept, bus);
    for (const subject of chosen.has("dispatch") ? subjects : []) {
      isGood &&= await measureDispatch(subject, bus, { minutes, writtenAt, changes: changes ?? subject.guilds });
      await printSizes(subject, "with plans");
    }
  } finally {
    await bus.stop();
  }
}

async function fill(subject: Subject, writtenAt: number): Promise<void> {
  const connection = await connectTo(subject.mongoUrl);
  const began = performance.now();
  await fillGuilds(connection, subject.guilds, writtenAt);
  print(`${subject.guilds} guilds`, `filled in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  await connection.close();
  await printSizes(subject, "without plans");
}

async function printSizes({ guilds: count, mongoUrl }: Subject, what: string): Promise<void> {
  const connection = await connectTo(mongoUrl);
  printBytes(`${count} guilds ${what}`, await storedBytes(connection), count);
  await connection.close();
}

/** One and two replicas plan the same guilds, in turns: all of them, and of many guilds those that are due again. */
async function compareReplicas(few: Subject, many: Subject, bus: Bus): Promise<void> {
  await inTurns(few, bus, "start without marks", planAllWith);
  isGood &&= (await inTurns(many, bus, "sweep", sweepWith, prepareSweep)) >= MIN_REPLICAS_RATIO;
}

/**
 * The number of guilds that two replicas plan in a second, as a factor of that of one: the median of some rounds. A machine that
 * others use, too, is at times a third slower, which a single round cannot tell from the replicas.
 */
async function inTurns(
  { guilds: count, mongoUrl }: Subject,
  bus: Bus,
  what: string,
  planWith: typeof sweepWith,
  prepare?: typeof prepareSweep,
): Promise<number> {
  const connection = await connectTo(mongoUrl);
  const announcing = Array.from({ length: count }, (_, at) => at + 1).filter(isAnnouncing).length;
  const options = { bus, mongoUrl, announcing, minutes };
  await prepare?.(connection, options);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const perSecond = new Map<number, number>();
    for (const replicas of round % 2 === 0 ? [1, 2] : [2, 1]) {
      const phase = await planWith(replicas, connection, options);
      printPhase(`${replicas} of dispatch with a share of a CPU each, ${what}`, phase, "guild");
      perSecond.set(replicas, phase.done / phase.seconds);
    }
    ratios.push((perSecond.get(2) ?? 0) / (perSecond.get(1) ?? 0));
  }
  await connection.close();
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
  print(`guilds planned, ${what}, two replicas ÷ one`, `${median(ratios).toFixed(2)} (median of ${each})`);
  return median(ratios);
}
