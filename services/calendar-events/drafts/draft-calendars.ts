import type { EpochMs } from "../../contracts/ids.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";

export interface DraftCalendars extends Pick<CalendarsStore, "find" | "list" | "replace"> {
  /** Whether a calendar has another zone than the stored one. */
  hasNewZone(): boolean;
}

/** Calendars whose writes stay in memory, over the stored ones. */
export function draftCalendars(base: Pick<CalendarsStore, "find" | "list">, now: EpochMs): DraftCalendars {
  const written = new Map<number, Calendar>();
  let isMoved = false;
  return {
    hasNewZone: () => isMoved,
    find: async (guildId, calendarNumber) => written.get(calendarNumber) ?? (await base.find(guildId, calendarNumber)),
    async list(guildId) {
      const stored = await base.list(guildId);
      return [...stored.filter(({ calendarNumber }) => !written.has(calendarNumber)), ...written.values()];
    },
    async replace({ calendar, newZone }) {
      isMoved ||= newZone !== undefined;
      const added = newZone === undefined ? [] : [{ ...newZone, since: now }];
      written.set(calendar.calendarNumber, { ...calendar, zoneChanges: [...calendar.zoneChanges, ...added] });
      return true;
    },
  };
}
