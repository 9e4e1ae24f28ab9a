import type { EpochMs } from "../../../contracts/ids.ts";
import { compareText } from "./list-order.ts";

/** Collects the soonest of the added occurrences, or of their changes, by an instant. */
export interface SoonestOccurrences<Occurrence> {
  add(occurrence: Occurrence): void;
  /** Occurrences with a later instant need not be added. */
  readonly horizon: EpochMs;
  readonly truncated: boolean;
  /** The soonest occurrences, by their instants, then by id. */
  list(): Occurrence[];
}

/**
 * Collects the soonest `limit` occurrences, with at most twice as many in memory, and reports whether there were more.
 */
export function soonestOccurrences<Occurrence>(
  limit: number,
  idOf: (occurrence: Occurrence) => string,
  instantOf: (occurrence: Occurrence) => EpochMs,
): SoonestOccurrences<Occurrence> {
  let soonest: Occurrence[] = [];
  let horizon = Number.POSITIVE_INFINITY;
  let truncated = false;
  const cut = () => {
    soonest.sort((a, b) => instantOf(a) - instantOf(b) || compareText(idOf(a), idOf(b)));
    if (soonest.length <= limit) return;
    truncated = true;
    soonest = soonest.slice(0, limit);
    const last = soonest.at(-1);
    horizon = last === undefined ? horizon : instantOf(last);
  };
  return {
    add(occurrence) {
      if (soonest.push(occurrence) > 2 * limit) cut();
    },
    get horizon() {
      return horizon;
    },
    get truncated() {
      cut();
      return truncated;
    },
    list() {
      cut();
      return soonest;
    },
  };
}
