import DataLoader from "dataloader";
import { settledOrTimedOut } from "./timeout.ts";

/** Largest number of concurrent batches of one function. Items that arrive while these run form the next batch. */
const MAX_CONCURRENT_BATCHES = 2;

/** The `slotTimeoutMs` of batched reads: a read that takes longer no longer delays the next batch. */
export const READ_SLOT_TIMEOUT_MS = 20;

export interface BatchOptions {
  /** Largest size of a batch. */
  readonly maxSize: number;
  /** Time in milliseconds that the first item waits for others; 0 by default. */
  readonly gatherMs?: number;
  /**
   * Time in milliseconds after which a slow batch no longer counts as concurrent. Without it a batch counts until it
   * settles.
   */
  readonly slotTimeoutMs?: number;
}

/**
 * Collects concurrent items into batches, because a database command costs more than the items in it. An item does
 * not wait for others unless `gatherMs` is set; under load, the items that arrive while two batches run form the next
 * one.
 *
 * The library `dataloader` gathers, splits and distributes; its cache is off.
 *
 * @param work - Processes a batch. Resolves with one result or error for each item, in order.
 */
export function batched<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { maxSize, gatherMs = 0, slotTimeoutMs }: BatchOptions,
): (item: Item) => Promise<Result> {
  /** Batches that wait for a running one to end, in the order of arrival. */
  const waiting: (() => void)[] = [];
  let free = MAX_CONCURRENT_BATCHES;

  /** Collects the items of one turn of the event loop, and those that arrive before the batch may begin. */
  function schedule(dispatch: () => void): void {
    if (free === 0) return void waiting.push(dispatch);
    free -= 1;
    if (gatherMs > 0) setTimeout(dispatch, gatherMs);
    else setImmediate(dispatch);
  }

  function end(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function begin(items: readonly Item[]): Promise<readonly (Result | Error)[]> {
    const outcome = work(items);
    void (slotTimeoutMs === undefined ? outcome.then(noop, noop) : settledOrTimedOut(outcome, slotTimeoutMs)).then(end);
    return outcome;
  }

  const loader = new DataLoader<Item, Result>(begin, {
    cache: false,
    maxBatchSize: maxSize,
    batchScheduleFn: schedule,
  });
  return (item) => loader.load(item);
}

function noop(): void {}
