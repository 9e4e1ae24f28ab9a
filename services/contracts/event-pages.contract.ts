import {
  calendarNumber,
  type Color,
  COLORS,
  type EventView,
  listEvents,
  settingsOwnerOfCalendar,
  type WindowParams,
} from "./calendar-events.contract.ts";
import { action } from "./contract.ts";
import { epochMs, guildId, integer, oneOf, optional, textOf } from "./field-rules.ts";
import type { GuildId } from "./ids.ts";
import { DEFAULT_PAGE_ENTRIES, type Page, pageNarrowing, type PageParams, pageRules } from "./pages.ts";
import type { Window } from "./window.ts";

/** A page of `listEvents` (D49). */
export const listEventsPage = action<WindowParams & PageParams, Page<EventView>>({
  name: "calendar-events.listPage",
  keys: "guild read",
  refusals: ["CALENDAR_NOT_FOUND"],
  params: { ...listEvents.params, ...pageRules },
  dependsOn: settingsOwnerOfCalendar,
  narrowing: pageNarrowing,
  idempotent: true,
});

/** A page of `listOngoingEvents`, of the events that are ongoing when the page is read (D49). */
export const listOngoingEventsPage = action<Omit<WindowParams, keyof Window> & PageParams, Page<EventView>>({
  name: "calendar-events.listOngoingPage",
  keys: "guild read",
  refusals: ["CALENDAR_NOT_FOUND"],
  params: { guildId, calendarNumber, ...pageRules },
  dependsOn: settingsOwnerOfCalendar,
  narrowing: pageNarrowing,
  idempotent: true,
});

export interface SearchEventsParams extends Partial<Window>, PageParams {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** Words, each of which occurs in the name, the description or the location. */
  readonly text?: string;
  readonly color?: Color;
}

/** Largest number of words of one search: each word is searched in the texts of each event that is read. */
const MAX_SEARCH_WORDS = 10;

/** The words of a search, which spaces separate. */
export function searchWords(searched: string): string[] {
  return searched.split(/\s+/u).filter((word) => word !== "");
}

function hasFewWords(searched: string): boolean {
  const { length } = searchWords(searched);
  return length >= 1 && length <= MAX_SEARCH_WORDS;
}

/**
 * Searches the single events, series and changed occurrences of a calendar, in the order of their ids (D49). A series is one
 * entry. A changed occurrence is a further entry if its texts or its color were changed. With a window, only events that overlap
 * it are found; a series overlaps it if one of its occurrences does.
 */
export const searchEvents = action<SearchEventsParams, Page<EventView>>({
  name: "calendar-events.search",
  keys: "guild read",
  refusals: ["CALENDAR_NOT_FOUND"],
  params: {
    guildId,
    calendarNumber,
    text: optional(textOf(`1 to ${MAX_SEARCH_WORDS} words`, /\S/, 200, hasFewWords)),
    color: optional(oneOf(COLORS)),
    from: optional(epochMs),
    until: optional(integer(0, Number.MAX_SAFE_INTEGER)),
    limit: optional(pageRules.limit, DEFAULT_PAGE_ENTRIES),
    cursor: pageRules.cursor,
  },
  dependsOn: settingsOwnerOfCalendar,
  narrowing: pageNarrowing,
  idempotent: true,
});
