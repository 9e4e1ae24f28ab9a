import { startNats } from "../../../../services/launch/embedded/embedded-nats.ts";
import { fillEvents, fillRest } from "./bench-data.ts";
import { compareRow, type Comparison } from "./compare.ts";
import { CALLS } from "./rows.ts";
import { databaseNamed, type Stage } from "./stage.ts";
import { startOverNats } from "./subjects.ts";

/** Of a CPU for each process: ten of them have one. */
const SHARE = 0.1;
/** Two of each carry twice as much where nothing is shared; the database and the bus are. */
const LEAST_GAIN = 1.6;

/** Two replicas of each service beside one of each, where each process has a small share of a CPU. */
export async function scaleOut({ given, loader, pace, wants, up }: Stage): Promise<Comparison[]> {
  const mongoUrl = databaseNamed(given.mongoUrl, "scale_out");
  await fillEvents(mongoUrl, 1, 1_000);
  const buses = [await startNats(), await startNats()] as const;
  try {
    const [one, two] = [
      await up(startOverNats({ ...given, mongoUrl, natsUrl: buses[0].url }, { count: 1, share: SHARE })),
      await up(startOverNats({ ...given, mongoUrl, natsUrl: buses[1].url }, { count: 2, share: SHARE })),
    ];
    await fillRest(one);
    const comparisons: Comparison[] = [];
    for (const row of CALLS.filter(wants)) {
      const bounds = [{ figure: "perSecond", least: LEAST_GAIN }] as const;
      // With a tenth of a CPU every round is long.
      comparisons.push(...(await compareRow(loader, { ...row, longer: 1 }, two, [[one, bounds]], pace)));
    }
    return comparisons;
  } finally {
    for (const bus of buses) await bus.stop();
  }
}
