import { MAX_ENTRIES } from "../../services/contracts/calendar-events.contract.ts";
import { MAX_ANSWER_BYTES } from "../../services/contracts/list-limits.ts";

/**
 * A list that is being built for a key, and what of the bounds of an answer it exceeds (D17, D38). Its owner counts
 * only the bytes that an entry surely has in the answer, and so never refuses what fits; the gateway, which knows the
 * names of the fields, counts the rest. Without it an owner builds, and sends, a list of 68 MB.
 */
export class BoundedList<Entry> {
  readonly entries: Entry[] = [];
  #bytes = 0;

  /** `bytes` are the entry's texts, as `jsonBytes` counts them. */
  add(entry: Entry, bytes: number): void {
    this.entries.push(entry);
    this.#bytes += bytes;
  }

  get exceeded(): "entries" | "bytes" | undefined {
    if (this.#bytes > MAX_ANSWER_BYTES) return "bytes";
    return this.entries.length > MAX_ENTRIES ? "entries" : undefined;
  }
}

/** How many bytes texts have in JSON in UTF-8. */
export function jsonBytes(...texts: readonly (string | readonly string[])[]): number {
  return Buffer.byteLength(JSON.stringify(texts)) - "[]".length;
}
