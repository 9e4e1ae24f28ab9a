import DataLoader from "dataloader";
import { settledOrTimedOut } from "./timeout.ts";

/** Under way at once. What comes while they are goes together into the next. */
const MAX_CONCURRENT_BATCHES = 2;

export interface BatchOptions {
  /** More than this are two. */
  readonly most: number;
  /** How long the first waits for more. */
  readonly gatherMs?: number;
  /** How long one that is slow holds its place; without it until it settles, which it has to. */
  readonly placeMs?: number;
}

/**
 * Gathers what is asked for at about the same time, and does it together: for a database and its driver a command is dearer
 * than what is in it. Nobody waits for more to come, unless a gathering time is set; under load what comes while two are
 * under way is the next.
 *
 * By the library `dataloader`, which gathers, splits and hands out; its cache is off.
 *
 * @param work - Does all of it; answers for each, in their order, what came of it, or why nothing did.
 */
export function batched<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
  { most, gatherMs = 0, placeMs }: BatchOptions,
): (item: Item) => Promise<Result> {
  /** What may begin once another has ended, in the order of its coming. */
  const waiting: (() => void)[] = [];
  let free = MAX_CONCURRENT_BATCHES;

  /** What the same poll of the sockets brought in, and all that comes until it may begin, goes together. */
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
    void (placeMs === undefined ? outcome.then(noop, noop) : settledOrTimedOut(outcome, placeMs)).then(end);
    return outcome;
  }

  const loader = new DataLoader<Item, Result>(begin, { cache: false, maxBatchSize: most, batchScheduleFn: schedule });
  return (item) => loader.load(item);
}

function noop(): void {}
