import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startMongod } from "../../services/launch/embedded-mongod.ts";
import { fillEvents, fillRest, fillRivals } from "./requests/bench-data.ts";
import { Loader } from "./requests/measure.ts";
import { compareRow, type Comparison } from "./requests/compare.ts";
import { printReport, reportOf } from "./requests/report.ts";
import { ROWS } from "./requests/rows.ts";
import { RIVALS, startGuildcal, startRival, type Subject } from "./requests/subjects.ts";

/**
 * `npm run bench`: what a request costs here, beside the same endpoint written by hand, each in a process of its own
 * on the same mongod. `--row TEXT` picks rows by their names; `--json` prints all of it for keeping.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    requests: { type: "string", default: "1000" },
    connections: { type: "string", default: "16" },
    row: { type: "string", default: "" },
    profile: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-"));
const mongod = await startMongod(directory);
const loader = new Loader();
const subjects: Subject[] = [];

/** Ends with whatever else was started. */
async function up(starting: Promise<Subject>): Promise<Subject> {
  const subject = await starting;
  subjects.push(subject);
  return subject;
}

try {
  const given = { mongoUrl: mongod.url, directory, profile: options.profile };
  await fillEvents(mongod.url, 1, 1_000);
  const guildcal = await up(startGuildcal(given));
  await fillRest(guildcal);
  await fillRivals(mongod.url, guildcal);
  const rivals: Subject[] = [];
  for (const name of RIVALS) rivals.push(await up(startRival(name, given, guildcal.key)));
  const pace = {
    rounds: Number(options.rounds),
    requests: Number(options.requests),
    connections: Number(options.connections),
  };
  const comparisons: Comparison[] = [];
  for (const row of ROWS.filter(({ name }) => name.includes(options.row))) {
    comparisons.push(...(await compareRow(loader, row, guildcal, rivals, pace)));
  }
  const report = await reportOf(comparisons, pace);
  if (options.json) console.log(JSON.stringify(report, undefined, 2));
  else printReport(report);
  process.exitCode = comparisons.every(({ held }) => held) ? 0 : 1;
} finally {
  for (const subject of subjects) await subject.stop();
  await loader.stop();
  await mongod.stop();
  await rm(directory, { recursive: true, force: true });
}
