import { type EventView, MOST_ENTRIES } from "../../contracts/calendar-events.contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";

/** The order of every list: by start, then by id (D17). */
export function inOrder(a: EventView, b: EventView): number {
  return a.startsAt - b.startsAt || compareText(a.eventId, b.eventId);
}

/** By code unit, which no locale changes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Instead of an answer that would be cut off (D17). */
export function tooManyEntries(): Refusal {
  const message = `must make a narrower window: this one holds more than ${MOST_ENTRIES} entries`;
  return refuse("TOO_MANY_ENTRIES", [{ field: "until", code: "TOO_MANY", message }]);
}

/** The same of what is on now, for which there is no narrower window. */
export function tooManyOngoing(): Refusal {
  const message = `must name a calendar in which at most ${MOST_ENTRIES} events are on`;
  return refuse("TOO_MANY_ENTRIES", [{ field: "calendarNumber", code: "TOO_MANY", message }]);
}
