import { TimeSlice } from "../../../mixins/async/time-slice.ts";
import { anchorInstant, type OffsetAnchor } from "../../contracts/announcement-offsets.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { DraftOccurrencesParams } from "../../contracts/owner-drafts.contract.ts";
import type { Window } from "../../contracts/window.ts";
import { limitFor } from "../calendar-windows.ts";
import { announcedOccurrence, type EffectiveOccurrence } from "../domain/event/effective-occurrence.ts";
import type { Override } from "../domain/event/override.ts";
import { type SoonestOccurrences, soonestOccurrences } from "../domain/event/soonest-occurrences.ts";
import { startsIn } from "../domain/event/window.ts";
import { eachOccurrenceOverlapping, eachOccurrenceStarting } from "../domain/recurrence/occurrences.ts";
import { effectiveOccurrences } from "../effective-occurrences.ts";
import { changedInMemory } from "../changed-occurrences.ts";
import { firstOccurrence } from "../occurrences-by-anchor.ts";
import type { CalendarsStore } from "../store/calendars.store.ts";
import type { EventReads } from "../store/event-reads.store.ts";
import type { DraftedEvent } from "./draft-store.ts";
import { isAllowed } from "./make-drafts.ts";

/** The occurrences of a guild, soonest first. */
export interface Listed {
  readonly occurrences: readonly Occurrence[];
  readonly truncated: boolean;
}

type ListParams = Pick<DraftOccurrencesParams, "guildId" | "window" | "limit" | "anchor">;

/** The occurrences of events in memory whose anchor is in the window, with their texts. */
export async function listDraftedEvents(
  drafted: readonly DraftedEvent[],
  calendars: Pick<CalendarsStore, "find">,
  maxCalendars: number,
  params: ListParams,
): Promise<Listed> {
  const { guildId, window, limit, anchor = "START" } = params;
  const allowed = drafted.filter(({ event }) => isAllowed(event.calendarNumber, maxCalendars));
  const instantOf = (occurrence: Occurrence) => anchorInstant(occurrence, anchor) ?? Infinity;
  const found = soonestOccurrences<Occurrence>(limit, ({ occurrenceId }) => occurrenceId, instantOf);
  const numbers = [...new Set(allowed.map(({ event }) => event.calendarNumber))];
  const calendarOf = new Map(
    await Promise.all(numbers.map(async (number) => [number, await calendars.find(guildId, number)] as const)),
  );
  const slices = new TimeSlice();
  for (const occurrence of await EXPANSIONS[anchor](allowed, params, { calendarOf, found })) {
    const announced = announcedOccurrence(occurrence, calendarOf.get(occurrence.event.calendarNumber)!);
    const at = instantOf(announced);
    if (at >= window.from && at < window.until) found.add(announced);
    if (slices.isOver) await slices.rest();
  }
  return { occurrences: found.list(), truncated: found.truncated };
}

interface Given {
  readonly calendarOf: ReadonlyMap<number, Awaited<ReturnType<CalendarsStore["find"]>>>;
  readonly found: Pick<SoonestOccurrences<Occurrence>, "horizon">;
}

type Expand = (
  drafted: readonly DraftedEvent[],
  params: ListParams,
  given: Given,
) => Promise<Iterable<EffectiveOccurrence>>;

/** For each anchor: every occurrence whose anchor is in the window, and perhaps others. */
const EXPANSIONS: Readonly<Record<OffsetAnchor, Expand>> = {
  START: (drafted, params, given) => expanded(drafted, params, given, "starting"),
  // An event that ends at the first millisecond of a window overlaps the millisecond before.
  END: (drafted, { window, ...params }, given) =>
    expanded(drafted, { ...params, window: { from: window.from - 1, until: window.until } }, given, "overlapping"),
  CREATED: async (drafted, _params, { calendarOf }) => {
    const firsts = drafted.map((each) =>
      firstOccurrence(overridesOf(each), each.event, calendarOf.get(each.event.calendarNumber)!),
    );
    return (await Promise.all(firsts)).filter((first) => first !== undefined);
  },
  CHANGED: async (drafted, _params, { calendarOf }) =>
    drafted.flatMap(({ event, overrides }) => changedInMemory(event, overrides, calendarOf.get(event.calendarNumber)!)),
};

function overridesOf({ overrides }: DraftedEvent): Pick<EventReads, "overrides"> {
  const isWithin = ({ original }: Override, { from, until }: Window) => original >= from && original < until;
  return {
    overrides: async (_guildId, _ids, originals) =>
      [...overrides.values()].filter((override) => isWithin(override, originals)),
  };
}

function expanded(
  drafted: readonly DraftedEvent[],
  { guildId, window, limit }: ListParams,
  { calendarOf, found }: Given,
  which: "starting" | "overlapping",
): Promise<Iterable<EffectiveOccurrence>> {
  const overrides = drafted.flatMap((each) => [...each.overrides.values()]);
  const events = drafted.map(({ event }) => event);
  const each = which === "starting" ? eachOccurrenceStarting : eachOccurrenceOverlapping;
  return effectiveOccurrences(
    { events, moved: overrides.filter(({ moved, cancelled }) => moved !== undefined && !cancelled) },
    {
      guildId,
      reads: { overrides: async () => overrides },
      eventsOf: async () => events,
      window,
      calendarOf: ({ calendarNumber }) => calendarOf.get(calendarNumber)!,
      expand: (series, isExcluded) => each(series, upTo(window, found.horizon), limitFor(series, limit), isExcluded),
      isInWindow: (times) => which === "overlapping" || startsIn(times, window),
    },
  );
}

function upTo({ from, until }: Window, last: EpochMs): Window {
  return { from, until: Math.min(until, last + 1) };
}
