/**
 * A map for operations in flight, such as calls. The garbage collector can free a deleted value at once.
 *
 * A Map in V8 retains deleted values. A Map whose entries change moves to a new table repeatedly, and the old table keeps a
 * link to the new one for iterators. If a table is in the old generation, which only a full collection examines, it
 * keeps its successors alive, with all values that were in flight when each was replaced, and every minor collection
 * copies them. In lists of events, a tenth of all memory was finished requests, and each collection took five times
 * as long. The tables of this class keep only an empty entry for each value.
 */
export class InFlightMap<Key extends string | number, Value> {
  readonly #entries = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, { value });
    else entry.value = value;
  }

  /** Whether the key existed. */
  delete(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    entry.value = undefined;
    return this.#entries.delete(key);
  }

  /** In insertion order. As in a Map, entries added during the iteration are visited, deleted ones are not. */
  forEach(visit: (value: Value, key: Key) => void): void {
    this.#entries.forEach(({ value }, key) => visit(value as Value, key));
  }
}
