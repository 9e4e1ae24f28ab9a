import ICAL from "ical.js";
import { localToInstant } from "../../services/calendar-events/domain/calendar/local-to-instant.ts";
import type { Zone } from "../../services/calendar-events/domain/calendar/zone.ts";
import type { Window } from "../../services/contracts/window.ts";
import { zone as zoneOf } from "./any-series.ts";

/** An occurrence as ical.js reads it. A text that is absent or empty is undefined. */
export interface ReadOccurrence {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly location: string | undefined;
}

/** An occurrence with the VEVENT that has its texts. */
interface Occurrence {
  readonly item: ICAL.Event;
  readonly startDate: ICAL.Time;
  readonly endDate: ICAL.Time;
}

/**
 * The starts of the occurrences in a feed, read by ical.js, in order. The window contains the start or the original start.
 *
 * @param timezone - In which dates begin.
 */
export function startsInFeed(text: string, window: Window, timezone = "UTC"): number[] {
  const zone = zoneOf(timezone);
  const starts = occurrencesIn(text, window).map(({ startDate }) => instantOf(startDate, zone));
  return starts.toSorted((one, other) => one - other);
}

/** The occurrences in a feed that are not cancelled, with their ends and texts, in the order of their starts. */
export function occurrencesInFeed(text: string, window: Window, timezone = "UTC"): ReadOccurrence[] {
  const zone = zoneOf(timezone);
  const read = occurrencesIn(text, window)
    .filter(({ item }) => item.component.getFirstPropertyValue("status") !== "CANCELLED")
    .map(({ item, startDate, endDate }) => ({
      startsAt: instantOf(startDate, zone),
      endsAt: instantOf(endDate, zone),
      name: shown(item.summary),
      description: shown(item.description),
      location: shown(item.location),
    }));
  return read.toSorted((one, other) => one.startsAt - other.startsAt);
}

function shown(text: string | null | undefined): string | undefined {
  return text === null || text === "" ? undefined : text;
}

function occurrencesIn(text: string, window: Window): Occurrence[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as never);
  const events = calendar.getAllSubcomponents("vevent");
  const isException = (event: ICAL.Component) => event.hasProperty("recurrence-id");
  return events
    .filter((event) => !isException(event))
    .flatMap((event) => {
      const uid = event.getFirstPropertyValue("uid");
      const exceptions = events.filter((each) => isException(each) && each.getFirstPropertyValue("uid") === uid);
      return occurrencesOf(new ICAL.Event(event, { exceptions, strictExceptions: true }), window);
    });
}

function occurrencesOf(event: ICAL.Event, { from, until }: Window): Occurrence[] {
  if (!event.isRecurring()) return [{ item: event, startDate: event.startDate, endDate: event.endDate }];
  const iterator = event.iterator();
  const occurrences: Occurrence[] = [];
  const read = () => iterator.next() as ICAL.Time | undefined;
  for (let next = read(); next !== undefined; next = read()) {
    if (next.toUnixTime() * 1000 >= until) break;
    if (next.toUnixTime() * 1000 < from) continue;
    occurrences.push(event.getOccurrenceDetails(next));
  }
  return occurrences;
}

/** A date begins at its midnight in the zone; ical.js has it as midnight in UTC. */
function instantOf(time: ICAL.Time, zone: Zone): number {
  const at = time.toUnixTime() * 1000;
  return time.isDate ? localToInstant(at, zone) : at;
}
