import { OperationTimeout } from "../../mixins/async/timeout.ts";
import { TimeSlice } from "../../mixins/async/time-slice.ts";
import { anchorInstant, type OffsetAnchor } from "../contracts/announcement-offsets.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import type { Occurrence, OccurrencesStarting, OccurrencesStartingParams } from "../contracts/occurrences.contract.ts";
import { mergedWindows, type Window } from "../contracts/window.ts";
import {
  allowedNumbers,
  type CalendarWindows,
  limitFor,
  SEARCH_TIMEOUT_MS,
  storedChangedSince,
} from "./calendar-windows.ts";
import { changedOccurrences } from "./changed-occurrences.ts";
import { type Calendar, calendarByNumber } from "./domain/calendar/calendar.ts";
import {
  announcedOccurrence,
  type EffectiveOccurrence,
  singleOccurrence,
} from "./domain/event/effective-occurrence.ts";
import { seriesOf, type StoredEvent } from "./domain/event/event.ts";
import { firstEventIdAt } from "./domain/event/event-id.ts";
import { soonestOccurrences, type SoonestOccurrences } from "./domain/event/soonest-occurrences.ts";
import { eachOccurrenceOverlapping, firstRuleOccurrence } from "./domain/recurrence/occurrences.ts";
import { effectiveOccurrenceAt, effectiveOccurrences } from "./effective-occurrences.ts";
import { formerOccurrences } from "./former-occurrences.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import type { EventReads } from "./store/event-reads.store.ts";

/** The id of an event has the time of the process that created it, whose clock may be wrong by this much. */
const MAX_CLOCK_ERROR_MS = 86_400_000;

/** The parameters of `listOccurrencesStarting` with an anchor other than START (D54). */
type ByAnchorParams = OccurrencesStartingParams & { readonly anchor: Exclude<OffsetAnchor, "START"> };

interface AnchorSearch {
  readonly guildId: GuildId;
  readonly calendars: readonly Calendar[];
  readonly limit: number;
  readonly texts: boolean;
  readonly changedSince: EpochMs | undefined;
  readonly horizon: () => EpochMs;
  readonly add: (occurrence: EffectiveOccurrence, window: Window) => void;
}

/** The reads by which dispatch plans posts. */
export interface AnnouncedOccurrences {
  list(
    params: OccurrencesStartingParams,
    isAllowed: (calendarNumber: number) => Promise<boolean>,
  ): Promise<OccurrencesStarting>;
}

export function announcedOccurrences(
  store: Pick<CalendarEventsStore, "calendarsInSnapshot" | "formerEvents">,
  calendars: Pick<CalendarsStore, "list">,
  windows: Pick<CalendarWindows, "listStarting">,
): AnnouncedOccurrences {
  return {
    async list(params, isAllowed) {
      const { anchor = "START", formerAfter } = params;
      const [found, former] = await Promise.all([
        anchor === "START"
          ? windows.listStarting(params, isAllowed)
          : occurrencesByAnchor(store, calendars, { ...params, anchor }, isAllowed),
        formerAfter === undefined ? undefined : formerOccurrences(params, store, calendars, isAllowed),
      ]);
      return former === undefined ? found : { ...found, former };
    },
  };
}

/** Lists the occurrences whose end, or whose event's creation or change, is in one of the windows; soonest first. */
async function occurrencesByAnchor(
  store: Pick<CalendarEventsStore, "calendarsInSnapshot">,
  written: Pick<CalendarsStore, "list">,
  { guildId, windows, anchor, limit, texts = true, only = {}, changedSince }: ByAnchorParams,
  isAllowed: (calendarNumber: number) => Promise<boolean>,
): Promise<OccurrencesStarting> {
  const [known, { numbers, reads }] = await Promise.all([written.list(guildId), store.calendarsInSnapshot(guildId)]);
  const allowed = await allowedNumbers(numbers, isAllowed);
  const calendars = allowed.map((calendarNumber) => calendarByNumber(guildId, known, calendarNumber));
  const instantOf = (occurrence: Occurrence) => anchorInstant(occurrence, anchor) ?? Infinity;
  const found: SoonestOccurrences<Occurrence> = soonestOccurrences(
    limit,
    ({ occurrenceId }) => occurrenceId,
    instantOf,
  );
  const add = (occurrence: EffectiveOccurrence, { from, until }: Window) => {
    const calendar = calendarByNumber(guildId, calendars, occurrence.event.calendarNumber);
    const announced = announcedOccurrence(occurrence, calendar, texts);
    const { eventId, follows = [], color, scheduledAt, endSetAt = 0, coloredAt } = announced;
    const isNamed = only.eventId === undefined || [eventId, ...follows].includes(only.eventId);
    const isSelected = isNamed && (only.color === undefined || only.color === color);
    const isChanged = Math.max(scheduledAt, endSetAt, coloredAt) >= (changedSince ?? 0);
    const at = instantOf(announced);
    if (isSelected && isChanged && at >= from && at < until) found.add(announced);
  };
  const horizon = () => found.horizon;
  const search: AnchorSearch = { guildId, calendars, limit, texts, changedSince, horizon, add };
  const collect = COLLECT[anchor];
  for (const window of calendars.length === 0 ? [] : mergedWindows(windows)) {
    await collect(reads, search, window);
    if (found.truncated) break;
  }
  return { occurrences: found.list(), truncated: found.truncated };
}

/** An event that ends at the first millisecond of a window overlaps the millisecond before. */
async function collectEnding(reads: EventReads, search: AnchorSearch, ends: Window): Promise<void> {
  const { guildId, calendars, limit, texts, horizon, add } = search;
  const window = { from: ends.from - 1, until: ends.until };
  const calendarOf = ({ calendarNumber }: StoredEvent) => calendarByNumber(guildId, calendars, calendarNumber);
  const checkDeadline = searchDeadline(guildId);
  const slices = new TimeSlice();
  const options = { texts, which: "all", changedSince: storedChangedSince(search) } as const;
  for await (const page of reads.seriesOverlapping(guildId, calendars, window, options)) {
    const occurrences = await effectiveOccurrences(page, {
      guildId,
      reads,
      eventsOf: (ids) => reads.findAll(guildId, ids),
      window,
      calendarOf,
      expand: (series, isExcluded) => {
        const until = Math.min(window.until, horizon() + 1);
        return eachOccurrenceOverlapping(series, { ...window, until }, limitFor(series, limit), isExcluded);
      },
      isInWindow: () => true,
    });
    slices.begin();
    for (const occurrence of occurrences) {
      add(occurrence, ends);
      if (slices.isOver) await slices.rest();
      checkDeadline();
    }
  }
}

/** The order of ids is the order of creation, except that the clocks of processes differ. */
async function collectCreated(reads: EventReads, search: AnchorSearch, created: Window): Promise<void> {
  const { guildId, calendars, texts, horizon, add } = search;
  const ids = {
    from: firstEventIdAt(created.from - MAX_CLOCK_ERROR_MS),
    until: firstEventIdAt(created.until + MAX_CLOCK_ERROR_MS),
  };
  const checkDeadline = searchDeadline(guildId);
  for await (const events of reads.eventsBetween(guildId, calendars, ids, { texts })) {
    for (const event of events) {
      const first = await firstOccurrence(reads, event, calendarByNumber(guildId, calendars, event.calendarNumber));
      if (first !== undefined) add(first, created);
      checkDeadline();
    }
    const [event] = events;
    if (event !== undefined && event.id > firstEventIdAt(horizon() + MAX_CLOCK_ERROR_MS)) return;
  }
}

async function collectChanged(reads: EventReads, search: AnchorSearch, changed: Window): Promise<void> {
  const { guildId, calendars, add } = search;
  const calendarOf = ({ calendarNumber }: StoredEvent) => calendarByNumber(guildId, calendars, calendarNumber);
  const checkDeadline = searchDeadline(guildId);
  const slices = new TimeSlice();
  for await (const occurrences of changedOccurrences(reads, { ...search, calendarOf, checkDeadline }, changed)) {
    slices.begin();
    for (const occurrence of occurrences) {
      add(occurrence, changed);
      if (slices.isOver) await slices.rest();
      checkDeadline();
    }
  }
}

const COLLECT = { END: collectEnding, CREATED: collectCreated, CHANGED: collectChanged } as const;

/** The first occurrence of a series, if it is not cancelled; a single event. */
export async function firstOccurrence(
  reads: Pick<EventReads, "overrides">,
  event: StoredEvent,
  calendar: Calendar,
): Promise<EffectiveOccurrence | undefined> {
  const series = seriesOf(event, calendar);
  if (series === undefined) return singleOccurrence(event, calendar);
  const { original } = firstRuleOccurrence(series);
  const changed = event.recurring?.hasOverrides === true;
  const [override] = changed
    ? await reads.overrides(event.guildId, [event.id], { from: original, until: original + 1 })
    : [];
  return effectiveOccurrenceAt(event, original, override, calendar);
}

/** Returns a function that throws if the search has taken too long. */
function searchDeadline(guildId: GuildId): () => void {
  const deadline = performance.now() + SEARCH_TIMEOUT_MS;
  return () => {
    if (performance.now() > deadline) throw new OperationTimeout(`occurrences by their anchors in guild ${guildId}`);
  };
}
