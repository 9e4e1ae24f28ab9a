import ICAL from "ical.js";
import { localToInstant } from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import type { Zone } from "../../services/calendar-events/domain/calendar/zone.ts";
import type { Window } from "../../services/contracts/window.ts";
import { zone as zoneOf } from "./any-series.ts";

/**
 * The starts of the occurrences in a feed, read by ical.js, in order. The window contains the start or the original start.
 *
 * @param timezone - In which dates begin.
 */
export function startsInFeed(text: string, window: Window, timezone = "UTC"): number[] {
  const zone = zoneOf(timezone);
  const calendar = new ICAL.Component(ICAL.parse(text) as never);
  const events = calendar.getAllSubcomponents("vevent");
  const isException = (event: ICAL.Component) => event.hasProperty("recurrence-id");
  const starts = events
    .filter((event) => !isException(event))
    .flatMap((event) => {
      const uid = event.getFirstPropertyValue("uid");
      const exceptions = events.filter((each) => isException(each) && each.getFirstPropertyValue("uid") === uid);
      return startsOf(new ICAL.Event(event, { exceptions, strictExceptions: true }), window, zone);
    });
  return starts.toSorted((one, other) => one - other);
}

function startsOf(event: ICAL.Event, { from, until }: Window, zone: Zone): number[] {
  if (!event.isRecurring()) return [instantOf(event.startDate, zone)];
  const iterator = event.iterator();
  const starts: number[] = [];
  const read = () => iterator.next() as ICAL.Time | undefined;
  for (let next = read(); next !== undefined; next = read()) {
    if (next.toUnixTime() * 1000 >= until) break;
    if (next.toUnixTime() * 1000 < from) continue;
    starts.push(instantOf(event.getOccurrenceDetails(next).startDate, zone));
  }
  return starts;
}

/** A date begins at its midnight in the zone; ical.js has it as midnight in UTC. */
function instantOf(time: ICAL.Time, zone: Zone): number {
  const at = time.toUnixTime() * 1000;
  return time.isDate ? localToInstant(at, zone) : at;
}
