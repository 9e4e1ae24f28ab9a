/** Rows or candidates that are looked at between two pauses: a few milliseconds. */
const AT_A_TIME = 500;

/** Looks at each of the items, and yields after every 500: there the caller may let others have their turn. */
export function* pausing<Item>(items: Iterable<Item>, look: (item: Item) => void): Generator<void> {
  let count = 0;
  for (const item of items) {
    look(item);
    if ((count += 1) % AT_A_TIME === 0) yield;
  }
}

/** The result of work that pauses, without its pauses. */
export function inOneGo<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
