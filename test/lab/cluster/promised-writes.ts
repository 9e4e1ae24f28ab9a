/** A record that a request was to create. Its mark is unique. */
export interface Created {
  readonly guildId: string;
  readonly mark: string;
  /** The id in a response with 200; absent without such a response: then the record may exist or not. */
  readonly id?: string;
}

/** A record that exists at the end. */
export interface Found {
  readonly guildId: string;
  readonly id: string;
  readonly mark: string;
  /** The field that updates change. */
  readonly value: string;
}

/** Counts of lost and doubled writes. */
export interface WritesVerdict {
  readonly promised: number;
  /** Writes with a 200 whose record is missing at the end, or has a value that an update with a 200 had replaced. */
  readonly lostWrites: number;
  /** Records that exist more than once. */
  readonly doubledWrites: number;
}

/** Records each write that got a 200, and compares it with the records at the end. */
export class PromisedWrites {
  readonly #created: Created[] = [];
  /** The possible values of each record, by id; the first is that of the last update with a 200. */
  readonly #values = new Map<string, string[]>();
  #updates = 0;

  created(created: Created): void {
    this.#created.push(created);
  }

  /** Records an update; a record has only one update in flight. */
  updated(id: string, value: string, isConfirmed: boolean): void {
    const known = this.#values.get(id) ?? [];
    this.#values.set(id, isConfirmed ? [value] : [...known, value]);
    if (isConfirmed) this.#updates += 1;
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
