import type { EpochMs } from "../../contracts/ids.ts";

/** Things by the instant at which they are to be looked at, soonest first: a binary heap. */
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
  const heap: Entry<Item>[] = [];
  const before = (one: number, other: number) => (heap[one]?.at ?? Infinity) < (heap[other]?.at ?? Infinity);
  const swap = (one: number, other: number) => {
    [heap[one], heap[other]] = [heap[other] as Entry<Item>, heap[one] as Entry<Item>];
  };

  function rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!before(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }

  function sink(from: number): void {
    for (let at = from; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = before(right, left) ? right : left;
      if (!before(child, at)) return;
      swap(at, child);
      at = child;
    }
  }

  return {
    get size() {
      return heap.length;
    },
    put(at, item) {
      heap.push({ at, item });
      rise(heap.length - 1);
    },
    nextAt: () => heap[0]?.at,
    takeBy(now) {
      const [first] = heap;
      if (first === undefined || first.at > now) return undefined;
      const last = heap.pop() as Entry<Item>;
      if (heap.length > 0) {
        heap[0] = last;
        sink(0);
      }
      return first.item;
    },
    clear: () => void heap.splice(0),
  };
}
