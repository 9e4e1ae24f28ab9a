import {
  type EventView,
  MOST_ENTRIES,
  type Occurrence,
  type OccurrencesStartingParams,
} from "../contracts/calendar-events.contract.ts";
import type { Refusal } from "../contracts/errors.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import { type CalendarEventsStore, isSingles } from "./calendar-events.store.ts";
import type { CalendarClock } from "./domain/calendar-clock.ts";
import { seriesOccurrence, seriesOf, singleOccurrence } from "./domain/event.ts";
import { entriesOf, inOrder, tooManyEntries } from "./domain/listing.ts";
import { occurrencesStarting } from "./domain/occurrences.ts";
import { soonest, type Soonest } from "./domain/soonest.ts";
import { isOngoing, mergedWindows, type Window } from "./domain/window.ts";
import { UTC } from "./domain/zone.ts";

/** Every calendar runs on UTC. */
export const UTC_CLOCK: CalendarClock = [{ zone: UTC, since: 0 }];

/** Reads windows of calendars: the store finds what is near, the domain says what is in. */
export interface CalendarWindows {
  list(guildId: GuildId, calendarNumber: number, window: Window): Promise<EventView[] | Refusal>;
  listOngoing(guildId: GuildId, calendarNumber: number, now: EpochMs): Promise<EventView[] | Refusal>;
  listStarting(
    params: OccurrencesStartingParams,
    isOpen: (calendarNumber: number) => Promise<boolean>,
  ): Promise<{ occurrences: Occurrence[]; truncated: boolean }>;
}

export function calendarWindows(store: CalendarEventsStore): CalendarWindows {
  async function list(guildId: GuildId, calendarNumber: number, window: Window): Promise<EventView[] | Refusal> {
    const lanes = await store.lanes(guildId, calendarNumber);
    const entries: EventView[] = [];
    for await (const event of store.touching(guildId, lanes, window, [UTC])) {
      entries.push(...entriesOf(event, window, UTC_CLOCK, MOST_ENTRIES + 1));
      if (entries.length > MOST_ENTRIES) return tooManyEntries();
    }
    return entries.sort(inOrder);
  }

  async function collectStarting(guildId: GuildId, lanes: string[], window: Window, found: Soonest, limit: number) {
    const singles = await store.singlesStarting(guildId, lanes, window, limit + 1);
    found.add(singles.map((event) => singleOccurrence(event, UTC.name)));
    const recurring = lanes.filter((lane) => !isSingles(lane));
    for await (const event of store.touching(guildId, recurring, window, [UTC])) {
      const series = seriesOf(event, UTC_CLOCK);
      if (series === undefined) continue;
      const until = Math.min(window.until, found.horizon + 1);
      const slots = occurrencesStarting(series, { from: window.from, until }, limit + 1);
      found.add(slots.map((slot) => seriesOccurrence(event, slot, UTC.name)));
    }
  }

  return {
    list,

    async listOngoing(guildId, calendarNumber, now) {
      const entries = await list(guildId, calendarNumber, { from: now, until: now + 1 });
      return Array.isArray(entries) ? entries.filter((entry) => isOngoing(entry, now)) : entries;
    },

    async listStarting({ guildId, windows, limit }, isOpen) {
      const lanes = await openLanes(await store.lanes(guildId), isOpen);
      const found = soonest(limit);
      for (const window of mergedWindows(windows)) {
        await collectStarting(guildId, lanes, window, found, limit);
        if (found.truncated) break;
      }
      return { occurrences: found.list(), truncated: found.truncated };
    },
  };
}

/** The lanes of the calendars that the guild may have now (D20). */
async function openLanes(lanes: string[], isOpen: (calendarNumber: number) => Promise<boolean>): Promise<string[]> {
  const open = await Promise.all(lanes.map((lane) => isOpen(Number.parseInt(lane, 10))));
  return lanes.filter((_, at) => open[at]);
}
