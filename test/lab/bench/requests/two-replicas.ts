import { startNats } from "../../../../services/launch/embedded/embedded-nats.ts";
import type { Section } from "../table/section.ts";
import { compareRows } from "./compare.ts";
import { copyGuilds, fillGuilds } from "./fill-guilds.ts";
import { ROW_NAMES } from "./rows.ts";
import { startOverNats } from "./subjects.ts";

const NAME = "two replicas";
/** Share of a CPU for each process: the ten processes of two replicas use one CPU in total. */
const SHARE = 0.1;

/** Compares two replicas of each service with one, with a small share of a CPU for each process. */
export const TWO_REPLICAS: Section = {
  name: NAME,
  heading: "replicas",
  rowNames: ROW_NAMES,
  hasServerCpu: true,

  async measure(stage) {
    const { given, started } = stage;
    await fillGuilds(given);
    const copy = await copyGuilds(given, "one_replica");
    const buses = [await startNats(), await startNats()] as const;
    try {
      const one = await started(startOverNats({ ...copy, natsUrl: buses[0].url }, { count: 1, share: SHARE }));
      const two = await started(startOverNats({ ...given, natsUrl: buses[1].url }, { count: 2, share: SHARE }));
      return await compareRows(NAME, stage, two, [{ subject: one, bounds: { perSecond: {} } }]);
    } finally {
      for (const bus of buses) await bus.stop();
    }
  },
};
