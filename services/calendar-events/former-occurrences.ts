import { MAX_FORMER_STATES } from "../../mixins/mongo/former-state.ts";
import type { Occurrence, OccurrencesStartingParams } from "../contracts/occurrences.contract.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { anchorOf, type Calendar, calendarByNumber } from "./domain/calendar/calendar.ts";
import { seriesOf, type StoredEvent } from "./domain/event/event.ts";
import { occurrencesStarting, ruleOccurrenceAt } from "./domain/recurrence/occurrences.ts";
import type { FormerEvent } from "./store/former-events.store.ts";
import {
  announcedOccurrence,
  type EffectiveOccurrence,
  effectiveOccurrence,
  singleOccurrence,
} from "./domain/event/effective-occurrence.ts";
import { mergedWindows, type Window } from "../contracts/window.ts";
import { startsIn } from "./domain/event/window.ts";

/**
 * Returns the former occurrences that started in the windows, of events that were moved, recolored or removed since.
 */
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
    const { calendarNumber } = former.event ?? former.occurrence;
    const calendar = calendarByNumber(guildId, written, calendarNumber);
    if (!(await isAllowed(calendarNumber))) continue;
    for (const occurrence of merged.flatMap((window) => occurrencesIn(window, former, calendar))) {
      if (occurrences.length >= MAX_FORMER_STATES) return occurrences;
      occurrences.push({ ...occurrence, until: former.until });
    }
  }
  return occurrences;
}

function occurrencesIn(window: Window, former: FormerEvent, calendar: Calendar): Occurrence[] {
  if (former.event !== undefined)
    return occurrencesStartingIn(window, former, calendar).map((each) => announcedOccurrence(each, calendar));
  const { occurrence } = former;
  return startsIn(occurrence, window) ? [{ ...occurrence, timezone: anchorOf(calendar).timezone }] : [];
}

function occurrencesStartingIn(
  window: Window,
  { event, overrides, missingFrom = Infinity }: Extract<FormerEvent, { readonly event: StoredEvent }>,
  calendar: Calendar,
): EffectiveOccurrence[] {
  const series = seriesOf(event, calendar);
  if (series === undefined) {
    const single = singleOccurrence(event, calendar);
    return startsIn(single, window) ? [single] : [];
  }
  const overridden = new Set(overrides.map(({ original }) => original));
  const unchanged = occurrencesStarting(series, window, MAX_FORMER_STATES)
    .filter(({ original }) => original < missingFrom && !overridden.has(original))
    .flatMap((ruleOccurrence) => effectiveOccurrence(event, ruleOccurrence, undefined, calendar) ?? []);
  const changed = overrides.flatMap((override) => {
    const ruleOccurrence = ruleOccurrenceAt(series, override.original);
    return (ruleOccurrence && effectiveOccurrence(event, ruleOccurrence, override, calendar)) ?? [];
  });
  return [...unchanged, ...changed.filter((occurrence) => startsIn(occurrence, window))];
}
