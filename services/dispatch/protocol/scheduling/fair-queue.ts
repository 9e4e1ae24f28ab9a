import type { EpochMs } from "../../../contracts/ids.ts";
import { newDelayQueue } from "./delay-queue.ts";

export interface FairItem {
  readonly guildId: string;
  readonly deadline: EpochMs;
}

/** Items that are due. Guilds take turns (round robin), so a guild with many items delays only itself. */
export interface FairQueue<Item extends FairItem> {
  put(item: Item, isLate: boolean): void;
  /** Takes the oldest item on time of the next guild that `mayTake` accepts. */
  takeOnTime(mayTake: (guildId: string) => boolean): Item | undefined;
  /** Takes the late item with the nearest deadline. */
  takeLate(): Item | undefined;
}

interface GuildQueue<Item> {
  readonly items: Item[];
  taken: number;
}

export function newFairQueue<Item extends FairItem>(): FairQueue<Item> {
  /** Guilds with items on time, in the order of their turns, which is the Map's insertion order. */
  const queues = new Map<string, GuildQueue<Item>>();
  const late = newDelayQueue<Item>();

  return {
    put(item, isLate) {
      if (isLate) return late.put(item.deadline, item);
      const queue = queues.get(item.guildId);
      if (queue === undefined) queues.set(item.guildId, { items: [item], taken: 0 });
      else queue.items.push(item);
    },
    takeOnTime(mayTake) {
      for (const [guildId, queue] of queues) {
        if (!mayTake(guildId)) continue;
        const item = queue.items[queue.taken];
        queue.taken += 1;
        // A guild with more items goes to the end of the order.
        queues.delete(guildId);
        if (queue.taken < queue.items.length) queues.set(guildId, queue);
        return item;
      }
      return undefined;
    },
    takeLate: () => late.takeBy(Infinity),
  };
}
