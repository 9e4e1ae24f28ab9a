/**
 * The state of the page, and its listeners.
 * @template {object} T
 */
export class Store {
  /** @type {Set<(state: T, before: T) => void>} */
  #listeners = new Set();

  /** @param {T} state */
  constructor(state) {
    this.state = state;
  }

  /** @param {Partial<T>} changes */
  update(changes) {
    const before = this.state;
    this.state = { ...before, ...changes };
    for (const listener of this.#listeners) listener(this.state, before);
  }

  /**
   * @param {(state: T, before: T) => void} listener
   * @returns {() => void} Removes the listener.
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
