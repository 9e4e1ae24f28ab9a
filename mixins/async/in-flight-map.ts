/**
 * A map for what is under way: calls, questions. It lets go of what was deleted at once.
 *
 * A Map does not, in V8: when its entries change, it moves to a new table every so often, and the old one keeps a link to it,
 * for iterators. Once one of them is among the old objects, which only a full collection looks at, it holds its successor,
 * and that the next one, with all that was under way when each was given up. Every short collection then has to copy it:
 * what requests had answered was a tenth of all memory that lists took, and each collection took five times as long. Here
 * the tables hold no more than an empty entry for each.
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

  /** Whether it was there. */
  delete(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    entry.value = undefined;
    return this.#entries.delete(key);
  }

  /** In the order of their coming; as of a Map, what is added meanwhile is visited too, and what is deleted is not. */
  forEach(visit: (value: Value, key: Key) => void): void {
    this.#entries.forEach(({ value }, key) => visit(value as Value, key));
  }
}
