import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import { timeZoneId } from "../../../mixins/icalendar/time-zone-id.ts";
import type { ImportEventsParams, SkipReason } from "../../contracts/event-import.contract.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { anchorOf, type Calendar, zoneOf } from "../domain/calendar/calendar.ts";
import { type ImportedEvent, readEvent } from "../domain/import/imported-event.ts";
import type { ZoneFinder } from "../domain/import/imported-times.ts";
import { readTimeZone, type TimeZoneComponent } from "../domain/import/observances.ts";
import { findZone, type FoundZone } from "../domain/import/time-zone.ts";

/** Reads the VEVENTs of a call in slices of time. */
export async function readImport(
  { events, zones }: Pick<ImportEventsParams, "events" | "zones">,
  calendar: Calendar,
): Promise<(ImportedEvent | SkipReason)[]> {
  const find = zoneFinder(zones.map(readTimeZone));
  const calendarZone = zoneOf(anchorOf(calendar));
  const slice = new TimeSlice();
  const read: (ImportedEvent | SkipReason)[] = [];
  for (const text of events) {
    if (slice.isOver) await slice.rest();
    read.push(readEvent(text, calendarZone, find));
  }
  return read;
}

/**
 * Largest number of searches for a zone by its rules in one call. A search takes milliseconds, and a call of 100 VEVENTs has
 * few zones and years.
 */
const MAX_SEARCHES = 200;

/** A finder that remembers the zone of each TZID and year. Beyond `MAX_SEARCHES` it finds zones by their names only. */
function zoneFinder(components: readonly TimeZoneComponent[]): ZoneFinder {
  const byId = new Map(components.map((component) => [timeZoneId(component.tzid), component]));
  const found = new Map<string, FoundZone | undefined>();
  let searches = 0;
  return (given: string, at: EpochMs) => {
    const tzid = timeZoneId(given);
    const key = `${new Date(at).getUTCFullYear()} ${tzid}`;
    if (found.has(key)) return found.get(key);
    const component = byId.get(tzid);
    const isSearched = searches < MAX_SEARCHES;
    const zone = findZone(tzid, component && (isSearched ? component : { ...component, observances: [] }), at);
    if (component !== undefined && zone?.isByRules !== false) searches += 1;
    found.set(key, zone);
    return zone;
  };
}
