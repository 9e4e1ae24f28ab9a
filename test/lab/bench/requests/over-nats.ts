import { startNats } from "../../../../services/launch/embedded/embedded-nats.ts";
import { fillEvents, fillRest } from "./bench-data.ts";
import { compareRow, type Comparison } from "./compare.ts";
import { CALLS } from "./rows.ts";
import { databaseNamed, type Stage } from "./stage.ts";
import { startGuildcal, startOverNats } from "./subjects.ts";

/** A process a service over NATS, beside one process: what the hops cost. */
export async function overNats({ given, loader, pace, wants, up }: Stage): Promise<Comparison[]> {
  const inTwo = { ...given, mongoUrl: databaseNamed(given.mongoUrl, "over_nats") };
  await fillEvents(inTwo.mongoUrl, 1, 1_000);
  const nats = await startNats();
  try {
    const alone = await up(startGuildcal(inTwo, "one process"));
    await fillRest(alone);
    const many = await up(startOverNats({ ...inTwo, natsUrl: nats.url }));
    const comparisons: Comparison[] = [];
    for (const row of CALLS.filter(wants)) {
      const named = { ...row, name: `over NATS: ${row.name}` };
      const bounds = [{ figure: "cpu", most: 2.5 }] as const;
      comparisons.push(...(await compareRow(loader, named, many, [[alone, bounds]], pace)));
    }
    return comparisons;
  } finally {
    await nats.stop();
  }
}
