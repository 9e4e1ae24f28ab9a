import type { EventView } from "../../../contracts/calendar-events.contract.ts";

/** The order of every list: by start, then by id (D17). */
export function compareEntries(a: EventView, b: EventView): number {
  return a.startsAt - b.startsAt || compareText(a.eventId, b.eventId);
}

/** Compares by code unit, independent of any locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
