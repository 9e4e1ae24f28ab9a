import TinyQueue from "tinyqueue";
import type { EpochMs } from "../../../contracts/ids.ts";

/** Things by the instant at which they are to be looked at, soonest first. */
export interface WakeQueue<Item> {
  readonly size: number;
  put(at: EpochMs, item: Item): void;
  /** When the first is to be looked at; undefined when there is none. */
  nextAt(): EpochMs | undefined;
  /** Takes the first out when its instant is not after `now`. */
  takeBy(now: EpochMs): Item | undefined;
  clear(): void;
}

interface Entry<Item> {
  readonly at: EpochMs;
  readonly item: Item;
}

export function newWakeQueue<Item>(): WakeQueue<Item> {
  const empty = () => new TinyQueue<Entry<Item>>([], (one, other) => one.at - other.at);
  let entries = empty();
  return {
    get size() {
      return entries.length;
    },
    put: (at, item) => entries.push({ at, item }),
    nextAt: () => entries.peek()?.at,
    takeBy(now) {
      const first = entries.peek();
      return first === undefined || first.at > now ? undefined : entries.pop()?.item;
    },
    clear: () => void (entries = empty()),
  };
}
