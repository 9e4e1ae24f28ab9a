/** Something that was to be created; its mark is in no other one. */
export interface Created {
  readonly guildId: string;
  readonly mark: string;
  /** As it was told with a 200; absent when no such answer came, so that it may be there or not. */
  readonly id?: string;
}

/** What is found of it at the end. */
export interface Found {
  readonly guildId: string;
  readonly id: string;
  readonly mark: string;
  /** The value that updates set. */
  readonly value: string;
}

/** What became of writes, as an onlooker counts them. */
export interface WritesVerdict {
  readonly promised: number;
  /** Answered 200, and not there at the end; or there with a value that an answered update had replaced. */
  readonly lostWrites: number;
  /** There more than once. */
  readonly doubledWrites: number;
}

/** Remembers each write that was answered with 200, and compares at the end. */
export class PromisedWrites {
  readonly #created: Created[] = [];
  /** By id: the values that it may have now; the first is the one that was answered last. */
  readonly #values = new Map<string, string[]>();
  #updates = 0;

  created(created: Created): void {
    this.#created.push(created);
  }

  /** An update of something that has no other under way. */
  updated(id: string, value: string, isAnswered: boolean): void {
    const known = this.#values.get(id) ?? [];
    this.#values.set(id, isAnswered ? [value] : [...known, value]);
    if (isAnswered) this.#updates += 1;
  }

  verdictOn(found: readonly Found[]): WritesVerdict {
    const byMark = new Map<string, Found[]>();
    for (const one of found) byMark.set(one.mark, [...(byMark.get(one.mark) ?? []), one]);
    const promised = this.#created.filter(({ id }) => id !== undefined);
    const missing = promised.filter(({ id, mark }) => !byMark.get(mark)?.some((one) => one.id === id));
    const stale = found.filter(({ id, value }) => this.#values.get(id)?.includes(value) === false);
    return {
      promised: promised.length + this.#updates,
      lostWrites: missing.length + stale.length,
      doubledWrites: [...byMark.values()].reduce((sum, copies) => sum + copies.length - 1, 0),
    };
  }
}
