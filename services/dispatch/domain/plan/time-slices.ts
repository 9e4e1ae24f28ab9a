/** Examining this many rows or candidates takes about a millisecond. */
const ITEMS_PER_SLICE = 100;

/** Visits every item, and yields after each slice so that the caller can run other work. */
export function* forEachInSlices<Item>(items: Iterable<Item>, visit: (item: Item) => void): Generator<void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    if ((count += 1) % ITEMS_PER_SLICE === 0) yield;
  }
}

/** Runs a generator to its end without a pause, and returns its result. */
export function runWithoutPauses<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
