import { fillBaselines } from "../baselines/fill-baselines.ts";
import type { Section } from "../table/section.ts";
import { type Beside, compareRows } from "./compare.ts";
import { fillGuilds } from "./fill-guilds.ts";
import { ROW_NAMES } from "./rows.ts";
import { type BaselineName, BASELINES, startGuildcal, startBaseline } from "./subjects.ts";

const BOUNDS: Readonly<Record<BaselineName, Beside["bounds"]>> = {
  fastify: { perSecond: { least: 1 }, p99: { most: 1 }, cpu: { most: 1.3 } },
  express: { perSecond: { least: 1.1 }, p99: { most: 1 } },
};

const NAME = "one process";

/** Compares one process with the same endpoints written by hand. */
export const BESIDE_BASELINES: Section = {
  name: NAME,
  heading: "requests",
  rowNames: ROW_NAMES,
  hasServerCpu: true,

  async measure(stage) {
    const { given, started } = stage;
    await fillGuilds(given);
    const guildcal = await started(startGuildcal(given));
    await fillBaselines(given.mongoUrl, guildcal);
    const baselines: Beside[] = [];
    for (const name of BASELINES) {
      baselines.push({ subject: await started(startBaseline(name, given, guildcal.key)), bounds: BOUNDS[name] });
    }
    return compareRows(NAME, stage, guildcal, baselines);
  },
};
