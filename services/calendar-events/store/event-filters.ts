import type { Color } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import type { OnlyOccurrences } from "../../contracts/occurrences.contract.ts";
import type { Window } from "../../contracts/window.ts";
import type { Calendar } from "../domain/calendar/calendar.ts";
import { inCalendars } from "../window-index/query.ts";

/** Selects events by color, or by their ids. */
export interface OnlyEvents extends Pick<OnlyOccurrences, "color"> {
  readonly eventIds?: readonly EventId[];
}

/** Limits what a search reads of each event, and which events it reads. */
export interface SearchOptions {
  readonly texts: boolean;
  /** Whether a search of series also has single events. */
  readonly which?: "all" | "recurring";
  /** With a color, series of other colors with overrides are read too: an occurrence may be recolored. */
  readonly only?: OnlyEvents;
  /** Series with overrides are read even if they have not changed since: an occurrence may have. */
  readonly changedSince?: EpochMs | undefined;
}

/** Filters single events by their stored starts. */
export function singleEventsFilter(
  guildId: GuildId,
  calendars: readonly Calendar[],
  { from, until }: Window,
  { only: { color, eventIds } = {}, changedSince }: SearchOptions,
) {
  return {
    ...inCalendars(guildId, calendars),
    ...(eventIds === undefined ? {} : { _id: { $in: eventIds } }),
    ...(color === undefined ? {} : { color }),
    ...(changedSince === undefined ? {} : { $or: changedAfter(changedSince) }),
    startsAt: { $gte: from, $lt: until },
    recurrence: { $exists: false },
    eventId: { $exists: false },
  };
}

/** A filter with all conditions; empty without any. */
export function allOf(conditions: readonly object[]): Readonly<Record<string, unknown>> {
  return conditions.length === 0 ? {} : { $and: conditions };
}

/** Matches events of a color, and rows that may have or be an occurrence of it: the caller filters the occurrences. */
export function mayHaveColor(color: Color | undefined): object[] {
  // `null` matches overrides without a color of their own.
  return color === undefined ? [] : [{ $or: [{ color: { $in: [color, null] } }, { hasOverrides: true }] }];
}

/** Matches events whose start, end or color was set at the instant or later. */
export function changedAfter(at: EpochMs): object[] {
  const after = { $gte: new Date(at) };
  return [{ scheduledAt: after }, { coloredAt: after }, { endSetAt: after }];
}
