import type { EpochMs } from "../../../contracts/ids.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Ports } from "../ports.ts";
import type { DueGuild, DueOrder } from "../post-store.ts";
import type { Timing } from "../timing.ts";
import type { Planner } from "./planner.ts";
import type { PlanningShares } from "./planning-shares.ts";
import { newSlots } from "./slots.ts";

/** Guilds of a sweep that are being planned, or wait for it. */
const MAX_GUILDS = 64;

/**
 * Returns a function that plans all guilds whose next plan is due. It ends when each of them is planned, or held back by large
 * plans or a pause; one that cannot be planned keeps no other waiting.
 *
 * The first replica of a guild plans it; of its guilds, those first that are the longest overdue. After its own guilds, the
 * replica of rank k plans those that were due k sweeps before it began and still are: their replicas have vanished, or have too
 * much to do. It begins with the latest of them, so that it does not plan the same guilds at the same time as their replica.
 */
export function newSweep(
  { clock, store }: Pick<Ports, "clock" | "store">,
  { sweepEveryMs }: Pick<Timing, "sweepEveryMs">,
  lifecycle: Pick<Lifecycle, "isStopping">,
  planner: Pick<Planner, "request">,
  shares: Pick<PlanningShares, "rank">,
): () => Promise<void> {
  const slots = newSlots(MAX_GUILDS);

  async function planDue(before: EpochMs, order: DueOrder, isToPlan: (due: DueGuild) => boolean): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    const forget = async (done: Promise<void>) => {
      await done;
      inFlight.delete(done);
    };
    for await (const due of store.guildsToReplan(before, order)) {
      if (!isToPlan(due)) continue;
      await slots.wait();
      if (lifecycle.isStopping) return;
      const { planned, heldBack } = planner.request(due.guildId, before);
      const done = slots.occupy(Promise.race([planned.then(() => undefined), heldBack]));
      inFlight.add(done);
      void forget(done);
    }
    await Promise.all(inFlight);
  }

  return async () => {
    const now = clock.now();
    await planDue(now, "longest overdue first", ({ guildId }) => shares.rank(guildId) === 0);
    await planDue(now - sweepEveryMs, "latest first", ({ guildId, replanAt }) => {
      const rank = shares.rank(guildId);
      return rank > 0 && replanAt + rank * sweepEveryMs <= now;
    });
  };
}
