import { MAX_ENTRIES } from "../../services/contracts/calendar-events.contract.ts";
import { MAX_RESPONSE_BYTES } from "../../services/contracts/list-limits.ts";

/**
 * A list for a client, and the limit of an answer that it exceeds (D17, D38). The owner counts only the bytes that an entry
 * certainly has in the answer, and so never refuses a list that fits; the gateway, which knows the field names, counts the
 * rest. Without this class an owner built and sent a list of 68 MB.
 */
export class BoundedList<Entry> {
  readonly entries: Entry[] = [];
  #bytes = 0;

  /** `bytes`: size of the texts of the entry, by `jsonBytes`. */
  add(entry: Entry, bytes: number): void {
    this.entries.push(entry);
    this.#bytes += bytes;
  }

  get exceeded(): "entries" | "bytes" | undefined {
    if (this.#bytes > MAX_RESPONSE_BYTES) return "bytes";
    return this.entries.length > MAX_ENTRIES ? "entries" : undefined;
  }
}

/** Size of texts in JSON, in UTF-8 bytes. */
export function jsonBytes(...texts: readonly (string | readonly string[])[]): number {
  return Buffer.byteLength(JSON.stringify(texts)) - "[]".length;
}
