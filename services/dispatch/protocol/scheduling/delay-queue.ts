import TinyQueue from "tinyqueue";
import type { EpochMs } from "../../../contracts/ids.ts";

/** Items ordered by the instant from which they may be taken. */
export interface DelayQueue<Item> {
  readonly size: number;
  put(at: EpochMs, item: Item): void;
  /** The instant of the first item; undefined when the queue is empty. */
  nextAt(): EpochMs | undefined;
  /** Removes and returns the first item if its instant is not after `now`. */
  takeBy(now: EpochMs): Item | undefined;
  clear(): void;
}

interface QueuedItem<Item> {
  readonly at: EpochMs;
  readonly item: Item;
}

export function newDelayQueue<Item>(): DelayQueue<Item> {
  const empty = () => new TinyQueue<QueuedItem<Item>>([], (one, other) => one.at - other.at);
  let items = empty();
  return {
    get size() {
      return items.length;
    },
    put: (at, item) => items.push({ at, item }),
    nextAt: () => items.peek()?.at,
    takeBy(now) {
      const first = items.peek();
      return first === undefined || first.at > now ? undefined : items.pop()?.item;
    },
    clear: () => void (items = empty()),
  };
}
