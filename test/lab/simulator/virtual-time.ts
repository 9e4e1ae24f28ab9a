import { newChance, type Chance } from "./chance.ts";

/** Time that jumps from one event to the next, so that a run of minutes takes milliseconds. */
export interface VirtualTime {
  readonly now: number;
  readonly chance: Chance;
  /** Schedules work in `ms`. Work of one instant runs in the order in which it was scheduled. */
  after(ms: number, happen: () => void): void;
  /** Runs until the instant, or until `isOver`, which is checked every virtual second, returns true. */
  run(until: number, isOver: () => boolean): Promise<void>;
}

interface Happening {
  readonly at: number;
  readonly order: number;
  readonly happen: () => void;
}

export function newVirtualTime(seed: number, start: number): VirtualTime {
  const heap: Happening[] = [];
  let now = start;
  let order = 0;

  function isBefore(one: Happening, other: Happening): boolean {
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  function push(happening: Happening): void {
    let at = heap.length;
    heap.push(happening);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Happening;
      if (!isBefore(happening, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = happening;
  }

  function pop(): Happening | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Happening)) child += 1;
      const below = heap[child] as Happening;
      if (!isBefore(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  return {
    get now() {
      return now;
    },
    chance: newChance(seed),
    after: (ms, happen) => push({ at: now + Math.max(0, Math.ceil(ms)), order: (order += 1), happen }),
    async run(until, isOver) {
      let checkedAt = now;
      for (let next = pop(); next !== undefined && next.at <= until; next = pop()) {
        now = next.at;
        next.happen();
        // Runs all immediate consequences before the next event.
        await new Promise<void>((done) => void setImmediate(done));
        if (now - checkedAt < 1_000) continue;
        checkedAt = now;
        if (isOver()) return;
      }
    },
  };
}
