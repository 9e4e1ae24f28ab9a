import type { Calendar } from "../../services/calendar-events/domain/calendar/calendar.ts";
import type { FeedEvent } from "../../services/calendar-events/domain/feed/event-component.ts";
import type { Override } from "../../services/calendar-events/domain/event/override.ts";
import { feedPages } from "../../services/calendar-events/feed/feed-pages.ts";
import type { FeedReads } from "../../services/calendar-events/store/feed-reads.store.ts";
import type { Color } from "../../services/contracts/calendar-events.contract.ts";
import { isRefusal } from "../../services/contracts/errors.ts";

/** The events of a calendar. */
export interface FeedContents {
  readonly calendar: Calendar;
  readonly events: readonly FeedEvent[];
  readonly overrides?: readonly Override[];
}

/** Reads of a calendar in memory, with the interface of the store. */
function feedReadsOf({ calendar, overrides = [], ...held }: FeedContents): FeedReads {
  const events = held.events.toSorted((one, other) => one.changedAt - other.changedAt || (one.id < other.id ? -1 : 1));
  const inOrder = overrides.toSorted((one, other) => one.original - other.original);
  return {
    lastChange: async () => ({ changedAt: events.at(-1)?.changedAt ?? 0, readAt: Infinity, moment: "1" }),
    calendarRevision: async () => calendar.revision,
    calendar: async () => calendar,
    async *events(_of, color, { changedAt, id }) {
      for (const event of events) {
        const isBehind = event.changedAt > changedAt || (event.changedAt === changedAt && event.id > id);
        const mayBeShown = color === undefined || event.color === color || event.recurring?.hasOverrides === true;
        if (isBehind && mayBeShown) yield event;
      }
    },
    event: async (_of, id) => events.find((event) => event.id === id),
    overrides: async ({ id }, { after, until, limit }) =>
      inOrder.filter(({ eventId, original }) => eventId === id && original > after && original < until).slice(0, limit),
    overridesAt: async ({ id }, originals) =>
      inOrder.filter(({ eventId, original }) => eventId === id && originals.includes(original)),
    earliestStart: async () => (events.length === 0 ? undefined : Math.min(...events.map(({ startsAt }) => startsAt))),
    zonesOfSeries: async () => events.flatMap(({ recurring }) => recurring?.anchor.timezone ?? []),
  };
}

interface FeedAs {
  readonly color?: Color;
  readonly pageLength?: number;
}

/** The pages of a feed, one after the other. */
export async function feedPagesOf(contents: FeedContents, { color, pageLength }: FeedAs = {}): Promise<string[]> {
  const { guildId, calendarNumber } = contents.calendar;
  const pages = feedPages(feedReadsOf(contents), pageLength);
  const { cursor } = await pages.open({ guildId, calendarNumber }, Date.UTC(2026, 0, 1));
  const texts: string[] = [];
  for (let next = cursor; next !== undefined;) {
    const page = await pages.read({ guildId, calendarNumber, cursor: next, ...(color && { color }) });
    if (isRefusal(page)) throw new Error(page.refusal);
    texts.push(page.text);
    next = page.next;
  }
  return texts;
}
