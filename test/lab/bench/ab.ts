import { readFile, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import mongoose from "mongoose";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import { type EmbeddedNats, startNats } from "../../../services/launch/embedded/embedded-nats.ts";
import { processorMsOf } from "./processor-time.ts";
import { anywhere } from "./requests/anywhere.ts";
import { fillMany } from "./requests/bench-data.ts";
import { median } from "./requests/figures.ts";
import { interleaved, Loader, type Sample } from "./requests/measure.ts";
import type { Pace } from "./requests/rows.ts";
import { besideServers } from "./requests/processors.ts";
import { startGuildcal, startOverNats, type Subject } from "./requests/subjects.ts";
import { databaseNamed } from "./requests/stage.ts";

/**
 * `npm run bench:ab -- DIRECTORY …`: what this checkout costs beside each of the others, at the rows that count, each
 * request to one of 200 guilds at random. All run on one mongod, with a database of the same content each, and answer the same
 * requests in alternating rounds; each figure is the median of the rounds' ratios, this one's to the other's.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "7" },
    requests: { type: "string", default: "3000" },
    connections: { type: "string", default: "16" },
    row: { type: "string", default: "" },
    nats: { type: "boolean", default: false },
  },
});
const pace: Pace = {
  rounds: Number(options.rounds),
  requests: Number(options.requests),
  connections: Number(options.connections),
};
const wanted = options.row.split(",");

const directory = await mkdtemp(join(tmpdir(), "guildcal-ab-"));
const mongod = await startMongod(directory);
const mongodPid = Number(await readFile(join(directory, "mongodb", "mongod.lock"), "utf8"));
async function compare(): Promise<void> {
  const loader = new Loader();
  const subjects: Subject[] = [];
  const buses: EmbeddedNats[] = [];
  try {
    const ours = databaseNamed(mongod.url, "ab_0");
    await fillMany(ours, () => startGuildcal({ directory, mongoUrl: ours }));
    for (const [at, tree] of [".", ...positionals].entries()) {
      const name = `ab_${at}`;
      if (at > 0) await copied(ours, name);
      const given = { directory, mongoUrl: databaseNamed(mongod.url, name), tree: resolve(tree) };
      if (options.nats) buses.push(await startNats());
      const natsUrl = buses[at]?.url;
      const starting =
        natsUrl === undefined ? startGuildcal(given, tree) : startOverNats({ ...given, natsUrl }, undefined, tree);
      subjects.push(withMongod(await starting));
    }
    console.log(`medians of ${pace.rounds} rounds' ratios, this : other (least … most)`);
    for (const row of anywhere().filter(({ name }) => wanted.some((text) => name.includes(text)))) {
      const ofRow = { ...pace, requests: pace.requests * (row.longer ?? 1) };
      const samples = await interleaved(loader, subjects, row, ofRow);
      const [this_ = [], ...others] = samples.values();
      console.log(`${row.name}, load ${loadavg().join(" ")}`);
      for (const [at, theirs] of others.entries()) print(positionals[at] ?? "", this_, theirs);
    }
  } finally {
    for (const subject of subjects) await subject.stop();
    await loader.stop();
    for (const bus of buses) await bus.stop();
  }
}

/** The database's processor time beside the servers' own. */
function withMongod(subject: Subject): Subject {
  return {
    ...subject,
    async usage() {
      const ofDatabase = { cpuMs: await processorMsOf(mongodPid), rssBytes: 0, heapBytes: 0 };
      return { ...(await subject.usage()), mongod: ofDatabase };
    },
  };
}

/** Copies what the services hold to another database: not the plan of dispatch, which makes its own. */
async function copied(mongoUrl: string, to: string): Promise<void> {
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  for (const name of ["calendar_events", "guild_settings", "announcements"]) {
    await connection
      .collection(name)
      .aggregate([{ $out: { db: to, coll: name } }])
      .toArray();
  }
  await connection.close();
}

const FIGURES: Readonly<Record<string, (sample: Sample) => number>> = {
  "requests/s": ({ perSecond }) => perSecond,
  p50: ({ p50 }) => p50,
  p99: ({ p99 }) => p99,
  CPU: ({ cpu, cpuOf }) => cpu - (cpuOf["mongod"] ?? 0),
  "mongod's CPU": ({ cpuOf }) => cpuOf["mongod"] ?? 0,
};

function print(beside: string, ours: readonly Sample[], theirs: readonly Sample[]): void {
  const texts = Object.entries(FIGURES).map(([figure, of]) => {
    const ratios = ours.map((sample, at) => of(sample) / of(theirs[at] as Sample));
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    const medians = [ours, theirs].map((samples) => median(samples.map(of)).toPrecision(3));
    return `${figure} ${median(ratios).toFixed(3)} (${least} … ${most}; ${medians.join(" : ")})`;
  });
  console.log(`  ${beside}: ${texts.join(", ")}`);
}

try {
  await besideServers(directory, compare);
} finally {
  await mongod.stop();
  await rm(directory, { recursive: true, force: true });
}
