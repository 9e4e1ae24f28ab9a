import type { EpochMs } from "../../../contracts/ids.ts";
import { newWakeQueue } from "./delay-queue.ts";

/** Something that is due, as far as its turn goes. */
export interface Turn {
  /** Whose turn it is: turns go round among guilds, so that a noisy one delays only itself. */
  readonly guildId: string;
  readonly deadline: EpochMs;
}

/** What is due now, in the order in which it gets its turn. */
export interface FairQueue<Item extends Turn> {
  put(item: Item, isLate: boolean): void;
  /** The next that is on time, of a guild that may have one; guild by guild, each guild's in the order in which they came. */
  takeOnTime(mayTake: (guildId: string) => boolean): Item | undefined;
  /** The next that is late: the one whose deadline is nearest. */
  takeLate(): Item | undefined;
}

interface Lane<Item> {
  readonly items: Item[];
  taken: number;
}

export function newFairQueue<Item extends Turn>(): FairQueue<Item> {
  /** Guilds with something to do, in the order of their turns; a Map keeps it. */
  const lanes = new Map<string, Lane<Item>>();
  const late = newWakeQueue<Item>();

  return {
    put(item, isLate) {
      if (isLate) return late.put(item.deadline, item);
      const lane = lanes.get(item.guildId);
      if (lane === undefined) lanes.set(item.guildId, { items: [item], taken: 0 });
      else lane.items.push(item);
    },
    takeOnTime(mayTake) {
      for (const [guildId, lane] of lanes) {
        if (!mayTake(guildId)) continue;
        const item = lane.items[lane.taken];
        lane.taken += 1;
        // To the end of the line, for as long as there is more.
        lanes.delete(guildId);
        if (lane.taken < lane.items.length) lanes.set(guildId, lane);
        return item;
      }
      return undefined;
    },
    takeLate: () => late.takeBy(Infinity),
  };
}
