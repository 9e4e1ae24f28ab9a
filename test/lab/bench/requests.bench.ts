import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import type { Line } from "./line.ts";
import { besideRivals } from "./requests/beside-rivals.ts";
import type { Comparison } from "./requests/compare.ts";
import { growth } from "./requests/growth.ts";
import { type Life, lifeOf } from "./requests/life.ts";
import { Loader } from "./requests/measure.ts";
import { calendarRows, dispatchRows } from "./requests/main-rows.ts";
import { overNats } from "./requests/over-nats.ts";
import { besideServers } from "./requests/processors.ts";
import { scaleOut } from "./requests/scale-out.ts";
import { drifts, printReport, reportOf } from "./requests/report.ts";
import type { Stage } from "./requests/stage.ts";
import type { Subject } from "./requests/subjects.ts";

/**
 * `npm run bench`: what a request costs here, beside the same endpoint written by hand, over NATS beside one process, and
 * where there is much beside where there is little, what a process takes from its start on, and the main rows of the other
 * benches. `--section` and `--row TEXT`
 * pick from it; `--json` prints all figures. The section `scale`, which needs root, has to be asked for by name.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    requests: { type: "string", default: "3000" },
    connections: { type: "string", default: "16" },
    section: { type: "string", default: "http,nats,growth,life,calendar,dispatch" },
    row: { type: "string", default: "" },
    "life-requests": { type: "string", default: "200000" },
    profile: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const lives: Life[] = [];
const lines: Line[] = [];

const SECTIONS: Readonly<Record<string, (stage: Stage) => Promise<Comparison[]>>> = {
  http: besideRivals,
  nats: overNats,
  scale: scaleOut,
  growth,
  async life(stage) {
    lives.push(await lifeOf(stage, Number(options["life-requests"])));
    return [];
  },
  async calendar() {
    lines.push(...(await calendarRows()));
    return [];
  },
  async dispatch(stage) {
    lines.push(...(await dispatchRows(stage)));
    return [];
  },
};

/** They put their processes where they want them, or have none. */
const OTHER_BENCHES: ReadonlySet<string> = new Set(["calendar", "dispatch"]);

const pace = {
  rounds: Number(options.rounds),
  requests: Number(options.requests),
  connections: Number(options.connections),
};
const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-"));
const mongod = await startMongod(directory);
let failed = false;

/** Runs a section, and ends what it started. */
async function run(section: string): Promise<Comparison[]> {
  const subjects: Subject[] = [];
  const loader = new Loader();
  try {
    const measure = SECTIONS[section] ?? unknown(section);
    const stage: Stage = {
      given: { mongoUrl: mongod.url, directory, profile: options.profile },
      loader,
      pace,
      wants: ({ name }) => name.includes(options.row),
      async up(starting) {
        const subject = await starting;
        subjects.push(subject);
        return subject;
      },
    };
    return await (OTHER_BENCHES.has(section) ? measure(stage) : besideServers(directory, () => measure(stage)));
  } catch (error) {
    // What the other sections measured is not lost.
    console.error(`${section} failed:`, error);
    failed = true;
    return [];
  } finally {
    for (const subject of subjects) await subject.stop();
    await loader.stop();
  }
}

function unknown(section: string): never {
  throw new Error(`no section ${section}: give some of ${Object.keys(SECTIONS).join(",")}`);
}

try {
  const comparisons: Comparison[] = [];
  for (const section of options.section.split(",")) comparisons.push(...(await run(section)));
  const report = await reportOf({ comparisons, lives, lines, pace });
  if (options.json) console.log(JSON.stringify(report, undefined, 2));
  else printReport(report);
  const allHeld = [...comparisons, ...lines].every(({ held }) => held) && !lives.some(drifts);
  process.exitCode = !failed && allHeld ? 0 : 1;
} finally {
  await mongod.stop();
  await rm(directory, { recursive: true, force: true });
}
