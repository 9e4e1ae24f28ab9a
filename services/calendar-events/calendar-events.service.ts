import { randomBytes } from "node:crypto";
import type { ServiceSchema } from "moleculer";
import { type CallContext, serve } from "../../mixins/contract-action.ts";
import { closedConnection, databaseMixin } from "../../mixins/database.mixin.ts";
import { healthMixin } from "../../mixins/health.mixin.ts";
import { optimisticWrite } from "../../mixins/optimistic-write.ts";
import {
  CALENDAR_EVENT_CHANGED,
  type CalendarEventChanged,
  calendarEventsChangesSince,
  createEvent,
  findEvent,
  getEvent,
  getOccurrence,
  listEvents,
  listOccurrencesStarting,
  listOngoingEvents,
  removeEvent,
  updateEvent,
} from "../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import { GUILD_SETTINGS_CHANGED, type GuildSettingsChanged } from "../contracts/guild-settings.contract.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import { documentOf } from "./calendar-event.document.ts";
import { calendarEventsStore } from "./calendar-events.store.ts";
import { calendarLimit } from "./calendar-limit.ts";
import { calendarWindows, UTC_CLOCK } from "./calendar-windows.ts";
import { changeEvent } from "./domain/change-event.ts";
import { newEvent } from "./domain/create-event.ts";
import {
  eventView,
  occurrenceView,
  seriesOccurrence,
  seriesOf,
  singleOccurrence,
  type StoredEvent,
} from "./domain/event.ts";
import { ID_RANDOM_BYTES, newEventId } from "./domain/event-id.ts";
import { readEventName } from "./domain/occurrence-id.ts";
import { occurrenceAt, type Slot } from "./domain/occurrences.ts";
import { UTC } from "./domain/zone.ts";

export interface CalendarEventsOptions {
  readonly mongoUrl: string;
  /** The clock by which events are ongoing. */
  readonly now?: () => EpochMs;
}

/** What a reference names: an event, or one occurrence of it. */
interface Named {
  readonly event: StoredEvent;
  readonly slot?: Slot;
}

/** The calendar events service; see README.md beside this file. */
export function calendarEventsService({ mongoUrl, now = Date.now }: CalendarEventsOptions): ServiceSchema {
  const connection = closedConnection();
  const store = calendarEventsStore(connection);
  const windows = calendarWindows(store);
  const limit = calendarLimit(now);

  /** Whether the guild may have the calendar (D20); it always may have the first. */
  async function isOpen(guildId: GuildId, calendarNumber: number, context: CallContext<unknown>): Promise<boolean> {
    return calendarNumber === 1 || calendarNumber <= (await limit.of(guildId, context));
  }

  async function named(guildId: GuildId, reference: string): Promise<Named | undefined> {
    const name = readEventName(reference);
    const event = name === undefined ? undefined : await store.find(guildId, name.eventId);
    if (event === undefined || name?.original === undefined) return event === undefined ? undefined : { event };
    const series = seriesOf(event, UTC_CLOCK);
    const slot = series === undefined ? undefined : occurrenceAt(series, name.original);
    return slot === undefined ? undefined : { event, slot };
  }

  /** The named event in that calendar, or the same refusal for every reason why it isn't there. */
  async function namedIn(params: { guildId: GuildId; calendarNumber: number; eventId: string }) {
    const found = await named(params.guildId, params.eventId);
    return found?.event.calendarNumber === params.calendarNumber ? found : refuse("EVENT_NOT_FOUND");
  }

  /** The same, for what can't be done to one occurrence. */
  async function eventIn(params: Parameters<typeof namedIn>[0]): Promise<StoredEvent | Refusal> {
    const found = await namedIn(params);
    if (isRefusal(found)) return found;
    return found.slot === undefined ? found.event : refuse("EVENT_NOT_FOUND");
  }

  /** Runs what needs the calendar, if the guild may have it. */
  async function inCalendar<Params extends { guildId: GuildId; calendarNumber: number }, Result>(
    params: Params,
    context: CallContext<Params>,
    work: () => Promise<Result | Refusal>,
  ): Promise<Result | Refusal> {
    return (await isOpen(params.guildId, params.calendarNumber, context)) ? work() : refuse("CALENDAR_NOT_FOUND");
  }

  return {
    name: "calendar-events",
    mixins: [databaseMixin(connection, mongoUrl, "calendar-events"), healthMixin("calendar-events", connection)],
    actions: {
      ...serve(createEvent, (params, context) =>
        inCalendar(params, context, async () => {
          const created = await optimisticWrite({
            load: async () => newEventId(now(), randomBytes(ID_RANDOM_BYTES)),
            decide: (id) => newEvent(params, id, UTC_CLOCK),
            save: (event) => store.insert(documentOf(event, UTC_CLOCK)),
          });
          if (isRefusal(created)) return created;
          tell(context, created);
          return { eventId: created.id };
        }),
      ),

      ...serve(updateEvent, (params, context) =>
        inCalendar(params, context, async () => {
          const changed = await optimisticWrite({
            load: () => eventIn(params),
            decide: (stored) => (isRefusal(stored) ? stored : changeEvent(stored, params, UTC_CLOCK)),
            save: (next) => store.replace(documentOf(next.event, UTC_CLOCK), next),
          });
          return isRefusal(changed) ? changed : tell(context, changed.event);
        }),
      ),

      ...serve(removeEvent, (params, context) =>
        inCalendar(params, context, async () => {
          const removed = await optimisticWrite({
            load: () => eventIn(params),
            decide: (stored) => stored,
            save: (event) => store.remove(event),
          });
          return isRefusal(removed) ? removed : tell(context, { ...removed, revision: removed.revision + 1 });
        }),
      ),

      ...serve(getEvent, (params, context) =>
        inCalendar(params, context, async () => {
          const found = await namedIn(params);
          return isRefusal(found) ? found : viewOf(found);
        }),
      ),

      ...serve(listEvents, (params, context) =>
        inCalendar(params, context, () => windows.list(params.guildId, params.calendarNumber, params)),
      ),

      ...serve(listOngoingEvents, (params, context) =>
        inCalendar(params, context, () => windows.listOngoing(params.guildId, params.calendarNumber, now())),
      ),

      ...serve(findEvent, async ({ guildId, eventId }, context) => {
        const found = await named(guildId, eventId);
        if (found === undefined || !(await isOpen(guildId, found.event.calendarNumber, context))) return null;
        return viewOf(found);
      }),

      ...serve(listOccurrencesStarting, (params, context) =>
        windows.listStarting(params, (calendarNumber) => isOpen(params.guildId, calendarNumber, context)),
      ),

      ...serve(getOccurrence, async ({ guildId, occurrenceId }, context) => {
        const found = await named(guildId, occurrenceId);
        if (found === undefined || !(await isOpen(guildId, found.event.calendarNumber, context))) return null;
        return occurrenceOf(found);
      }),

      ...serve(calendarEventsChangesSince, (params) => store.changesSince(params)),
    },
    events: {
      [GUILD_SETTINGS_CHANGED]({ params }: { params: GuildSettingsChanged }) {
        limit.forget(params.guildId);
      },
    },
  };
}

function viewOf({ event, slot }: Named) {
  return slot === undefined ? eventView(event) : occurrenceView(event, slot);
}

/** Of a series itself there is no one occurrence. */
function occurrenceOf({ event, slot }: Named) {
  if (slot !== undefined) return seriesOccurrence(event, slot, UTC.name);
  return event.recurrence === undefined ? singleOccurrence(event, UTC.name) : null;
}

/** Tells all who listen that an event was stored or removed. */
function tell(
  context: CallContext<unknown>,
  { guildId, id, revision }: Pick<StoredEvent, "guildId" | "id" | "revision">,
): void {
  const payload: CalendarEventChanged = { guildId, eventId: id, revision };
  void context.broadcast(CALENDAR_EVENT_CHANGED, payload);
}
