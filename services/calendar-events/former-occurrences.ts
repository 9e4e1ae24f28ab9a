import { MAX_FORMER_STATES } from "../../mixins/mongo/former-state.ts";
import { unhandled } from "../../mixins/objects/unhandled.ts";
import { anchorInstant, type OffsetAnchor } from "../contracts/announcement-offsets.ts";
import type { Occurrence, OccurrencesStartingParams } from "../contracts/occurrences.contract.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { anchorOf, type Calendar, calendarByNumber } from "./domain/calendar/calendar.ts";
import { seriesOf, type StoredEvent } from "./domain/event/event.ts";
import {
  firstRuleOccurrence,
  occurrencesOverlapping,
  occurrencesStarting,
  type RuleOccurrence,
  ruleOccurrenceAt,
  type Series,
} from "./domain/recurrence/occurrences.ts";
import { changedTimesAt, nextOriginal } from "./domain/event/rescheduled.ts";
import type { FormerEvent } from "./store/former-events.store.ts";
import {
  announcedOccurrence,
  type EffectiveOccurrence,
  effectiveOccurrence,
  singleOccurrence,
} from "./domain/event/effective-occurrence.ts";
import { mergedWindows, type Window } from "../contracts/window.ts";

/**
 * Returns the occurrences of events before they were moved, recolored or removed, if they had their anchor in the windows; at
 * most MAX_FORMER_STATES.
 */
export async function formerOccurrences(
  { guildId, windows, anchor = "START", formerAfter = Infinity }: OccurrencesStartingParams,
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
    for (const occurrence of merged.flatMap((window) => occurrencesIn(window, anchor, former, calendar))) {
      if (occurrences.length >= MAX_FORMER_STATES) return occurrences;
      occurrences.push({ ...occurrence, until: former.until });
    }
  }
  return occurrences;
}

function occurrencesIn(window: Window, anchor: OffsetAnchor, former: FormerEvent, calendar: Calendar): Occurrence[] {
  const found =
    former.event === undefined
      ? [{ ...former.occurrence, timezone: anchorOf(calendar).timezone }]
      : occurrencesOf(window, anchor, former, calendar).map((each) => announcedOccurrence(each, calendar));
  return found.filter((occurrence) => {
    const at = anchorInstant(occurrence, anchor);
    return at !== undefined && at >= window.from && at < window.until;
  });
}

/** All occurrences that have the anchor in the window, and perhaps others. */
function occurrencesOf(
  window: Window,
  anchor: OffsetAnchor,
  { event, overrides, missingFrom = Infinity }: Extract<FormerEvent, { readonly event: StoredEvent }>,
  calendar: Calendar,
): EffectiveOccurrence[] {
  const series = seriesOf(event, calendar);
  if (series === undefined) return [singleOccurrence(event, calendar)];
  const overridden = new Set(overrides.map(({ original }) => original));
  const unchanged = ruleOccurrencesIn(window, anchor, series, { event, calendar })
    .filter(({ original }) => original < missingFrom && !overridden.has(original))
    .flatMap((ruleOccurrence) => effectiveOccurrence(event, ruleOccurrence, undefined, calendar) ?? []);
  const changed = overrides.flatMap((override) => {
    const ruleOccurrence = ruleOccurrenceAt(series, override.original);
    return (ruleOccurrence && effectiveOccurrence(event, ruleOccurrence, override, calendar)) ?? [];
  });
  return [...unchanged, ...changed];
}

function ruleOccurrencesIn(
  window: Window,
  anchor: OffsetAnchor,
  series: Series,
  { event, calendar }: { readonly event: StoredEvent; readonly calendar: Calendar },
): RuleOccurrence[] {
  switch (anchor) {
    case "START":
      return occurrencesStarting(series, window, MAX_FORMER_STATES);
    case "END":
      return occurrencesOverlapping(series, { ...window, from: window.from - 1 }, MAX_FORMER_STATES);
    case "CHANGED": {
      const at = changedTimesAt(event, event);
      const next = at === undefined ? undefined : nextOriginal(event, calendar, at);
      return next === undefined ? [] : [ruleOccurrenceAt(series, next) ?? []].flat();
    }
    case "CREATED": {
      const first = ruleOccurrenceAt(series, firstRuleOccurrence(series).original);
      return first === undefined ? [] : [first];
    }
    default:
      unhandled(anchor);
      return [];
  }
}
