import { startNats } from "../../../../services/launch/embedded/embedded-nats.ts";
import type { Section } from "../table/section.ts";
import { compareRows } from "./compare.ts";
import { copyGuilds, fillGuilds } from "./fill-guilds.ts";
import { ROW_NAMES } from "./rows.ts";
import { startGuildcal, startOverNats } from "./subjects.ts";

const NAME = "over NATS";

/** Compares a process for each service over NATS with one process, each on a copy of the same database. */
export const OVER_NATS: Section = {
  name: NAME,
  heading: "over-nats",
  rowNames: ROW_NAMES,
  hasServerCpu: true,

  async measure(stage) {
    const { given, started } = stage;
    await fillGuilds(given);
    const copy = await copyGuilds(given, "beside_nats");
    const nats = await startNats();
    try {
      const oneProcess = await started(startGuildcal(copy, "one process"));
      const overNats = await started(startOverNats({ ...given, natsUrl: nats.url }));
      return await compareRows(NAME, stage, overNats, [{ subject: oneProcess, bounds: { cpu: { most: 3 } } }]);
    } finally {
      await nats.stop();
    }
  },
};
