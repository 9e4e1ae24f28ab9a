import { fillEvents, fillRest, fillRivals } from "./bench-data.ts";
import { type Bound, compareRow, type Comparison } from "./compare.ts";
import { ROWS } from "./rows.ts";
import type { Stage } from "./stage.ts";
import { type RivalName, RIVALS, startGuildcal, startRival, type Subject } from "./subjects.ts";

const BOUNDS: Readonly<Record<RivalName, readonly Bound[]>> = {
  fastify: [
    { figure: "perSecond", least: 1 },
    { figure: "p99", most: 1 },
    { figure: "cpu", most: 1.2 },
  ],
  express: [{ figure: "perSecond", least: 1.1 }],
  "bare-http": [{ figure: "perSecond", least: 0.85 }],
};

/** One process, beside the same endpoints written by hand. */
export async function besideRivals({ given, loader, pace, wants, up }: Stage): Promise<Comparison[]> {
  await fillEvents(given.mongoUrl, 1, 1_000);
  const guildcal = await up(startGuildcal(given));
  await fillRest(guildcal);
  await fillRivals(given.mongoUrl, guildcal);
  const rivals = new Map<RivalName, Subject>();
  for (const name of RIVALS) rivals.set(name, await up(startRival(name, given, guildcal.key)));
  const comparisons: Comparison[] = [];
  for (const row of ROWS.filter(wants)) {
    const beside = row.beside.map((name) => [rivals.get(name) as Subject, BOUNDS[name]] as const);
    const shown = (row.shownBeside ?? []).map((name) => [rivals.get(name) as Subject, []] as const);
    comparisons.push(...(await compareRow(loader, row, guildcal, [...beside, ...shown], pace)));
  }
  return comparisons;
}
