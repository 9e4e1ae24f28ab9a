import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import { readOptions, selectOnly } from "../options.ts";
import { FULL_CALENDAR } from "./calendar/full-calendar.ts";
import { FULL_FEED } from "./calendar/full-feed.ts";
import { RULE_WINDOWS } from "./calendar/rule-windows.ts";
import { DISPATCH, DISPATCH_REPLICAS } from "./dispatch/dispatch-sections.ts";
import { NOTIFICATIONS } from "./dispatch/notification-section.ts";
import { PLAN_DIFFS } from "./drafts/plan-diffs.ts";
import { BESIDE_BASELINES } from "./requests/beside-baselines.ts";
import { Loader } from "./requests/measure.ts";
import { MEMORY } from "./requests/memory.ts";
import { OVER_NATS } from "./requests/over-nats.ts";
import { besideServers } from "./requests/processors.ts";
import type { Subject } from "./requests/subjects.ts";
import { TWO_REPLICAS } from "./requests/two-replicas.ts";
import { contextOf, isWhollyHeld, linesOf, type Report, type SectionReport } from "./table/report.ts";
import { writeResults } from "./table/results-page.ts";
import type { Measured, Section } from "./table/section.ts";
import { removeFolder } from "../../harness/remove-folder.ts";

const TABLE: readonly Section[] = [
  BESIDE_BASELINES,
  OVER_NATS,
  DISPATCH,
  NOTIFICATIONS,
  FULL_CALENDAR,
  RULE_WINDOWS,
  FULL_FEED,
  PLAN_DIFFS,
  MEMORY,
];
/** Sections without bounds, which only `--scale` measures. They need root. */
const SCALE: readonly Section[] = [TWO_REPLICAS, DISPATCH_REPLICAS];

/**
 * `npm run bench` measures the table, in which every figure has a bound. README.md has the options.
 */
const options = readOptions({
  only: [],
  scale: false,
  rounds: 5,
  requests: 3_000,
  connections: 16,
  profile: String,
  json: String,
  results: false,
});
const { only, rounds, requests, connections } = options;
const pace = { rounds, requests, connections };
if (options.results && (only.length > 0 || options.scale)) throw new Error("--results takes the whole table");

const chosen = selectOnly(
  (options.scale ? SCALE : TABLE).flatMap((section) => section.rowNames.map((row) => ({ section, row }))),
  only,
  ({ section, row }) => `${section.name}: ${row}`,
);

/** Measures a section on its own mongod. */
async function run(section: Section): Promise<SectionReport> {
  const { name, heading } = section;
  try {
    const measured = await (section.hasServerCpu ? besideServers(() => measure(section)) : measure(section));
    return { name, heading, ...measured };
  } catch (error) {
    // A failed section must not lose the figures of the others.
    console.error(error);
    return { name, heading, rows: [], failure: String(error).split("\n")[0] ?? "" };
  }
}

async function measure(section: Section): Promise<Measured> {
  const rows = new Set(chosen.filter((each) => each.section === section).map(({ row }) => row));
  const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-"));
  const mongod = await startMongod(directory);
  const loader = new Loader();
  const subjects: Subject[] = [];
  try {
    return await section.measure({
      given: { mongoUrl: mongod.url, directory, profile: options.profile },
      loader,
      pace,
      isChosen: (row) => rows.has(row),
      async started(starting) {
        const subject = await starting;
        subjects.push(subject);
        return subject;
      },
    });
  } finally {
    for (const subject of subjects) await subject.stop();
    await loader.stop();
    await mongod.stop();
    await removeFolder(directory);
  }
}

async function measureAll(): Promise<Report> {
  const context = await contextOf(pace);
  console.log(`${context.at}  ${context.commit}  ${context.machine}, load ${context.load.join(", ")}`);
  const sections: SectionReport[] = [];
  for (const section of new Set(chosen.map((each) => each.section))) {
    const report = await run(section);
    for (const line of linesOf(report)) console.log(line);
    sections.push(report);
  }
  return { ...context, sections };
}

const report = await measureAll();
if (options.json !== undefined) await writeFile(options.json, JSON.stringify(report, undefined, 2));
if (options.results) await writeResults(report);
process.exitCode = isWhollyHeld(report) ? 0 : 1;
