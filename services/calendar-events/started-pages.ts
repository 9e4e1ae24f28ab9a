/** Pages whose first one is already read; the others are read when they are consumed. */
interface StartedPages<Item> {
  readonly pages: AsyncIterable<Item>;
  /** Closes the cursor. */
  close(): Promise<unknown>;
}

/** Reads the first page. */
export async function startReading<Item>(pages: AsyncIterable<Item>): Promise<StartedPages<Item>> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncIterable<Item> {
    if (first.done === true) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { pages: all(), close: async () => iterator.return?.() };
}
