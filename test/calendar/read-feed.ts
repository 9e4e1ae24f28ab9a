import ICAL from "ical.js";
import type { Window } from "../../services/contracts/window.ts";

/** The starts of the occurrences in a feed, read by ical.js, in order. The window contains the start or the original start. */
export function startsInFeed(text: string, window: Window): number[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as never);
  const events = calendar.getAllSubcomponents("vevent");
  const isException = (event: ICAL.Component) => event.hasProperty("recurrence-id");
  const starts = events
    .filter((event) => !isException(event))
    .flatMap((event) => {
      const uid = event.getFirstPropertyValue("uid");
      const exceptions = events.filter((each) => isException(each) && each.getFirstPropertyValue("uid") === uid);
      return startsOf(new ICAL.Event(event, { exceptions, strictExceptions: true }), window);
    });
  return starts.toSorted((one, other) => one - other);
}

function startsOf(event: ICAL.Event, { from, until }: Window): number[] {
  if (!event.isRecurring()) return [event.startDate.toUnixTime() * 1000];
  const iterator = event.iterator();
  const starts: number[] = [];
  const read = () => iterator.next() as ICAL.Time | undefined;
  for (let next = read(); next !== undefined; next = read()) {
    if (next.toUnixTime() * 1000 >= until) break;
    if (next.toUnixTime() * 1000 < from) continue;
    starts.push(event.getOccurrenceDetails(next).startDate.toUnixTime() * 1000);
  }
  return starts;
}
