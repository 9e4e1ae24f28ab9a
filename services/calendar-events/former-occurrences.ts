import { MOST_FORMER } from "../../mixins/former-records.ts";
import type { Occurrence, OccurrencesStartingParams } from "../contracts/occurrences.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import type { CalendarEventsStore } from "./calendar-events.store.ts";
import type { CalendarsStore } from "./calendars.store.ts";
import { type Calendar, unwrittenCalendar } from "./domain/calendar.ts";
import { seriesOf, type StoredEvent } from "./domain/event.ts";
import { occurrencesStarting } from "./domain/occurrences.ts";
import { announcedOccurrence, type Placed, placedOccurrence, placedSingle } from "./domain/placed.ts";
import { mergedWindows, type Window } from "./domain/window.ts";

/** What events were before they were moved, recoloured or removed, as far as it started in the windows. */
export async function formerOccurrences(
  { guildId, windows, formerAfter = Infinity }: OccurrencesStartingParams,
  store: Pick<CalendarEventsStore, "former">,
  calendars: Pick<CalendarsStore, "list">,
  isOpen: (calendarNumber: number) => Promise<boolean>,
): Promise<Occurrence[]> {
  const former = await store.former(guildId, formerAfter);
  if (former.length === 0) return [];
  const written = await calendars.list(guildId);
  const occurrences: Occurrence[] = [];
  for (const { event, until } of former) {
    if (!(await isOpen(event.calendarNumber))) continue;
    const calendar = calendarOf(event, guildId, written);
    for (const placed of mergedWindows(windows).flatMap((window) => startingIn(window, event, calendar))) {
      if (occurrences.length >= MOST_FORMER) return occurrences;
      occurrences.push({ ...announcedOccurrence(placed, calendar), until });
    }
  }
  return occurrences;
}

function calendarOf({ calendarNumber }: StoredEvent, guildId: GuildId, written: readonly Calendar[]): Calendar {
  const found = written.find((calendar) => calendar.calendarNumber === calendarNumber);
  return found ?? unwrittenCalendar(guildId, calendarNumber);
}

function startingIn(window: Window, event: StoredEvent, calendar: Calendar): Placed[] {
  const series = seriesOf(event, calendar);
  if (series === undefined) {
    const isIn = event.startsAt >= window.from && event.startsAt < window.until;
    return isIn ? [placedSingle(event)] : [];
  }
  const slots = occurrencesStarting(series, window, MOST_FORMER);
  return slots.flatMap((slot) => placedOccurrence(event, slot, undefined, calendar) ?? []);
}
