import { MAX_ENTRIES } from "../../services/contracts/calendar-events.contract.ts";
import { MAX_RESPONSE_BYTES } from "../../services/contracts/list-limits.ts";

/**
 * A list for a client, with the limits of a response (D17, D38). The owner counts only the bytes that an entry
 * certainly has in the response, so the owner never refuses a list that fits. The gateway knows the field names and
 * counts the rest. Without this class an owner built and sent a list of 68 MB.
 */
export class BoundedList<Entry> {
  readonly entries: Entry[] = [];
  #bytes = 0;

  /** @param bytes - Least size of the texts of the entry, by `leastJsonBytes`. */
  add(entry: Entry, bytes: number): void {
    this.entries.push(entry);
    this.#bytes += bytes;
  }

  /** The limit that the list exceeds; undefined while it fits. */
  get exceeded(): "entries" | "bytes" | undefined {
    if (this.#bytes > MAX_RESPONSE_BYTES) return "bytes";
    return this.entries.length > MAX_ENTRIES ? "entries" : undefined;
  }
}

/** Least size of the texts in JSON, in bytes: each text in UTF-8, two quotes and a separator. Escapes are not counted. */
export function leastJsonBytes(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text) + 3;
  return bytes;
}
