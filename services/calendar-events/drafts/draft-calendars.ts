import { pauseEndedBy } from "../../contracts/pause.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";

export interface DraftCalendars extends Pick<CalendarsStore, "find" | "list" | "replace"> {
  /** Whether a calendar got another zone, or another pause, so that all its events are affected. */
  affectsAllEvents(): boolean;
}

/** Calendars whose writes stay in memory, over the stored ones. */
export function draftCalendars(base: Pick<CalendarsStore, "find" | "list">, now: EpochMs): DraftCalendars {
  const written = new Map<number, Calendar>();
  let affectsAll = false;
  const find: DraftCalendars["find"] = async (guildId, calendarNumber) =>
    written.get(calendarNumber) ?? base.find(guildId, calendarNumber);
  return {
    affectsAllEvents: () => affectsAll,
    find,
    async list(guildId) {
      const stored = await base.list(guildId);
      return [...stored.filter(({ calendarNumber }) => !written.has(calendarNumber)), ...written.values()];
    },
    async replace({ calendar, newZone }) {
      affectsAll ||= newZone !== undefined;
      const added = newZone === undefined ? [] : [{ ...newZone, since: now }];
      const stored = await find(calendar.guildId, calendar.calendarNumber);
      affectsAll ||= calendar.pausedUntil !== stored.pausedUntil;
      const zoneChanges = [...calendar.zoneChanges, ...added];
      written.set(calendar.calendarNumber, { ...calendar, ...pauseEndedBy(stored, now), zoneChanges });
      return true;
    },
  };
}
