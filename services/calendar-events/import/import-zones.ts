import { optimisticWrite } from "../../../mixins/mongo/optimistic-write.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import { type Calendar, MAX_FURTHER_ZONES, unknownZones, withFurtherZones } from "../domain/calendar/calendar.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import { asOwnWrite } from "./own-write.ts";

/** Whether windows of the calendar are read in this zone, too, so that a series in it is found. */
export function isZoneOf(calendar: Calendar, name: string): boolean {
  return unknownZones(calendar, [name]).length === 0;
}

/**
 * Adds the zones of series to the calendar, before the series are stored; as many as it may have. `onWritten` is called with
 * the new revision of the calendar.
 */
export async function addZones(
  calendars: CalendarsStore,
  calendar: Calendar,
  names: readonly string[],
  onWritten: (revision: number) => void,
): Promise<Calendar | Refusal> {
  const added = (stored: Calendar) =>
    unknownZones(stored, names).slice(0, MAX_FURTHER_ZONES - (stored.furtherZones?.length ?? 0));
  if (added(calendar).length === 0) return calendar;
  const changed = await asOwnWrite(() =>
    optimisticWrite({
      load: () => calendars.find(calendar.guildId, calendar.calendarNumber),
      decide: (stored) => withFurtherZones(stored, added(stored)),
      save: (next) => calendars.replace(next),
    }),
  );
  if (isRefusal(changed)) return changed;
  onWritten(changed.calendar.revision);
  return changed.calendar;
}
