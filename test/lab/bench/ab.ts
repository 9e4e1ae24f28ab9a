import { mkdtemp, readFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import { type EmbeddedNats, startNats } from "../../../services/launch/embedded/embedded-nats.ts";
import { readCommandLine, selectOnly } from "../options.ts";
import { processorMsOf } from "./processor-time.ts";
import { copyGuilds, fillGuilds } from "./requests/fill-guilds.ts";
import { median } from "./requests/figures.ts";
import { interleaved, Loader, type Sample } from "./requests/measure.ts";
import { besideServers } from "./requests/processors.ts";
import { ROWS } from "./requests/rows.ts";
import { databaseNamed, startGuildcal, startOverNats, type Subject } from "./requests/subjects.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

/**
 * `npm run bench:ab -- DIRECTORY …` compares the cost of this checkout with others, in the table's rows of requests. All run
 * on one mongod, each with a copy of the same database, and get the same requests in alternating rounds. Each figure is the
 * median of the rounds' ratios of this checkout to the other.
 */
const { options, positionals } = readCommandLine(
  { only: [], rounds: 7, requests: 3_000, connections: 16, nats: false },
  { allowPositionals: true },
);
const rows = selectOnly(ROWS, options.only, ({ name }) => name);

async function compare(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-ab-"));
  const mongod = await startMongod(directory);
  const mongodPid = Number(await readFile(join(directory, "mongodb", "mongod.lock"), "utf8"));
  const loader = new Loader();
  const subjects: Subject[] = [];
  const buses: EmbeddedNats[] = [];
  try {
    const filled = { directory, mongoUrl: databaseNamed(mongod.url, "ab_0") };
    await fillGuilds(filled);
    for (const [at, tree] of [".", ...positionals].entries()) {
      const copy = at === 0 ? filled : await copyGuilds(filled, `ab_${at}`);
      const given = { ...copy, tree: resolve(tree) };
      if (options.nats) buses.push(await startNats());
      const natsUrl = buses[at]?.url;
      const starting =
        natsUrl === undefined ? startGuildcal(given, tree) : startOverNats({ ...given, natsUrl }, undefined, tree);
      subjects.push(withMongod(await starting, mongodPid));
    }
    console.log(`medians of ${options.rounds} rounds' ratios, this : other (least … most)`);
    for (const row of rows) {
      const [ours = [], ...others] = await interleaved(loader, subjects, row, options);
      console.log(`${row.name}, load ${loadavg().join(" ")}`);
      for (const [at, theirs] of others.entries()) print(positionals[at] ?? "", ours, theirs);
    }
  } finally {
    for (const subject of subjects) await subject.stop();
    await loader.stop();
    for (const bus of buses) await bus.stop();
    await mongod.stop();
    await removeFolder(directory);
  }
}

/** The processor time of the database, in addition to that of the servers. */
function withMongod(subject: Subject, mongodPid: number): Subject {
  return {
    ...subject,
    async usage() {
      const ofDatabase = { cpuMs: await processorMsOf(mongodPid), rssBytes: 0, heapBytes: 0 };
      return { ...(await subject.usage()), mongod: ofDatabase };
    },
  };
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

await besideServers(compare);
