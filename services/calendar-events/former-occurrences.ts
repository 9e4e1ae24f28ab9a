import { MAX_FORMER } from "../../mixins/mongo/former-state.ts";
import type { Occurrence, OccurrencesStartingParams } from "../contracts/occurrences.contract.ts";
import type { GuildId } from "../contracts/ids.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { anchorOf, type Calendar, unwrittenCalendar } from "./domain/calendar/calendar.ts";
import { seriesOf, type StoredEvent } from "./domain/event/event.ts";
import { occurrencesStarting } from "./domain/recurrence/occurrences.ts";
import type { FormerEvent } from "./store/former-events.store.ts";
import {
  announcedOccurrence,
  type EffectiveOccurrence,
  effectiveOccurrence,
  singleOccurrence,
} from "./domain/event/effective-occurrence.ts";
import { mergedWindows, startsIn, type Window } from "./domain/event/window.ts";

/** The occurrences of events before they were moved, recoloured or removed, if they started in the windows. */
export async function formerOccurrences(
  { guildId, windows, formerAfter = Infinity }: OccurrencesStartingParams,
  store: Pick<CalendarEventsStore, "formerEvents">,
  calendars: Pick<CalendarsStore, "list">,
  isAllowed: (calendarNumber: number) => Promise<boolean>,
): Promise<Occurrence[]> {
  const formerEvents = await store.formerEvents(guildId, formerAfter);
  if (formerEvents.length === 0) return [];
  const written = await calendars.list(guildId);
  const occurrences: Occurrence[] = [];
  const merged = mergedWindows(windows);
  for (const former of formerEvents) {
    const calendar = calendarOf(former.event ?? former.occurrence, guildId, written);
    if (!(await isAllowed(calendar.calendarNumber))) continue;
    for (const occurrence of merged.flatMap((window) => occurrencesIn(window, former, calendar))) {
      if (occurrences.length >= MAX_FORMER) return occurrences;
      occurrences.push({ ...occurrence, until: former.until });
    }
  }
  return occurrences;
}

function occurrencesIn(window: Window, { event, occurrence }: FormerEvent, calendar: Calendar): Occurrence[] {
  if (event !== undefined)
    return startingIn(window, event, calendar).map((former) => announcedOccurrence(former, calendar));
  return startsIn(occurrence, window) ? [{ ...occurrence, timezone: anchorOf(calendar).timezone }] : [];
}

function calendarOf(
  { calendarNumber }: Pick<StoredEvent, "calendarNumber">,
  guildId: GuildId,
  written: readonly Calendar[],
): Calendar {
  const found = written.find((calendar) => calendar.calendarNumber === calendarNumber);
  return found ?? unwrittenCalendar(guildId, calendarNumber);
}

function startingIn(window: Window, event: StoredEvent, calendar: Calendar): EffectiveOccurrence[] {
  const series = seriesOf(event, calendar);
  if (series === undefined) {
    return startsIn(event, window) ? [singleOccurrence(event)] : [];
  }
  const ruleOccurrences = occurrencesStarting(series, window, MAX_FORMER);
  return ruleOccurrences.flatMap(
    (ruleOccurrence) => effectiveOccurrence(event, ruleOccurrence, undefined, calendar) ?? [],
  );
}
