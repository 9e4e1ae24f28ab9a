import type { Service, ServiceSchema } from "moleculer";
import { type CallContext, serve } from "../../mixins/actions/contract-action.ts";
import { listen } from "../../mixins/actions/contract-event.ts";
import { closedConnection, databaseMixin } from "../../mixins/mongo/database.mixin.ts";
import { healthMixin } from "../../mixins/actions/health.mixin.ts";
import { optimisticWrite } from "../../mixins/mongo/optimistic-write.ts";
import { WriteQueue } from "../../mixins/mongo/write-queue.ts";
import { broadcast, callAction } from "../../mixins/actions/typed-calls.ts";
import {
  calendarEventChanged,
  calendarEventsChangesSince,
  createEvent,
  findEvent,
  getEvent,
  type EventReference,
  listEvents,
  listExistingEvents,
  listOngoingEvents,
  removeEvent,
  updateEvent,
} from "../contracts/calendar-events.contract.ts";
import { removeAnnouncementsOfEvent } from "../contracts/announcements.contract.ts";
import { getOccurrence, listOccurrencesStarting } from "../contracts/occurrences.contract.ts";
import { calendarChanged, getCalendar, listCalendars, updateCalendar } from "../contracts/calendars.contract.ts";
import { openFeed, readFeedPage } from "../contracts/feeds.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import { guildSettingsChanged } from "../contracts/guild-settings.contract.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import { revisionMismatch } from "../contracts/revision.ts";
import { STANDARD_EVENTS_PER_GUILD } from "./calendar-events.settings.ts";
import { calendarEventsStore } from "./store/calendar-events.store.ts";
import { calendarLimit } from "./limits/calendar-limit.ts";
import { calendarWindows } from "./calendar-windows.ts";
import { calendarsStore } from "./store/calendars.store.ts";
import { calendarView, changeCalendar, everyCalendar } from "./domain/calendar/calendar.ts";
import { mergeChangeFeeds } from "./domain/calendar/merge-change-feeds.ts";
import { announcedOccurrence } from "./domain/event/effective-occurrence.ts";
import { eventWrites, type Written } from "./event-writes.ts";
import { feedPages } from "./feed/feed-pages.ts";
import { feedReads } from "./store/feed-reads.store.ts";
import { followZoneRules } from "./reindex-changed-zones.ts";
import { formerOccurrences } from "./former-occurrences.ts";
import { eventResolver, toView } from "./event-resolver.ts";
import { zoneRulesStore } from "./store/zone-rules.store.ts";

export interface CalendarEventsOptions {
  readonly mongoUrl: string;
  /** Most events that a guild may hold. */
  readonly eventsPerGuild?: number;
  /** The clock by which events are ongoing. */
  readonly now?: () => EpochMs;
}

/** The calendar events service; see README.md beside this file. */
export function calendarEventsService({
  mongoUrl,
  eventsPerGuild = STANDARD_EVENTS_PER_GUILD,
  now = Date.now,
}: CalendarEventsOptions): ServiceSchema {
  const connection = closedConnection();
  const store = calendarEventsStore(connection, eventsPerGuild);
  const calendars = calendarsStore(connection);
  const zoneRules = zoneRulesStore(connection);
  let following: ReturnType<typeof followZoneRules> | undefined;
  const windows = calendarWindows(store, calendars);
  const events = eventResolver(store, calendars);
  const feeds = feedPages(feedReads(connection));
  const writes = eventWrites(store, calendars, events);
  const limit = calendarLimit(() => performance.now());
  const calendarQueue = new WriteQueue();

  /** Whether the guild may have the calendar (D20); it always may have the first. */
  async function isOpen(guildId: GuildId, calendarNumber: number, context: CallContext<unknown>): Promise<boolean> {
    return calendarNumber === 1 || calendarNumber <= (await limit.of(guildId, context));
  }

  /** Runs what needs the calendar, if the guild may have it. */
  async function inCalendar<Params extends { guildId: GuildId; calendarNumber: number }, Result>(
    params: Params,
    context: CallContext<Params>,
    work: () => Promise<Result | Refusal>,
  ): Promise<Result | Refusal> {
    return (await isOpen(params.guildId, params.calendarNumber, context)) ? work() : refuse("CALENDAR_NOT_FOUND");
  }

  /** Finds the event or occurrence of an id in any calendar that the guild may have. */
  async function openNamed(guildId: GuildId, reference: string, context: CallContext<unknown>) {
    const named = await events.find(guildId, reference);
    return named !== undefined && (await isOpen(guildId, named.event.calendarNumber, context)) ? named : undefined;
  }

  return {
    name: "calendar-events",
    mixins: [databaseMixin(connection, mongoUrl, "calendar-events"), healthMixin("calendar-events", connection)],
    actions: {
      ...serve(createEvent, (params, context) =>
        inCalendar(params, context, async () => {
          const created = told(context, await writes.create(params));
          return isRefusal(created) ? created : { eventId: created.id, revision: created.shownRevision };
        }),
      ),

      ...serve(updateEvent, (params, context) =>
        inCalendar(params, context, async () => {
          const updated = told(context, await writes.update(params));
          return isRefusal(updated) ? updated : { revision: updated.shownRevision };
        }),
      ),

      ...serve(removeEvent, ({ announcements, ...params }, context) =>
        inCalendar(params, context, async () => {
          const removed = told(context, await writes.remove(params));
          if (isRefusal(removed)) return removed;
          return announcements === "delete" ? removeAnnouncements(params, context) : undefined;
        }),
      ),

      ...serve(getEvent, (params, context) => inCalendar(params, context, () => events.viewIn(params))),

      ...serve(listEvents, (params, context) =>
        inCalendar(params, context, () => windows.list(params.guildId, params.calendarNumber, params)),
      ),

      ...serve(listOngoingEvents, (params, context) =>
        inCalendar(params, context, () => windows.listOngoing(params.guildId, params.calendarNumber, now())),
      ),

      ...serve(findEvent, async ({ guildId, eventId }, context) => {
        const named = await openNamed(guildId, eventId, context);
        return named === undefined ? null : toView(named);
      }),

      ...serve(listExistingEvents, async ({ guildId, eventIds, firstOccurrence = false }) => {
        const find = (eventId: string) =>
          firstOccurrence ? events.findOccurrence(guildId, eventId) : events.find(guildId, eventId);
        const found = await Promise.all(eventIds.map(find));
        return eventIds.filter((_, at) => found[at] !== undefined);
      }),

      ...serve(listOccurrencesStarting, async (params, context) => {
        const isOpenHere = (calendarNumber: number) => isOpen(params.guildId, calendarNumber, context);
        const [starting, former] = await Promise.all([
          windows.listStarting(params, isOpenHere),
          params.formerAfter === undefined ? undefined : formerOccurrences(params, store, calendars, isOpenHere),
        ]);
        return former === undefined ? starting : { ...starting, former };
      }),

      ...serve(getOccurrence, async ({ guildId, occurrenceId }, context) => {
        const named = await openNamed(guildId, occurrenceId, context);
        return named?.placed === undefined ? null : announcedOccurrence(named.placed, named.calendar);
      }),

      ...serve(calendarEventsChangesSince, async (params) =>
        mergeChangeFeeds(params, await Promise.all([store.changesSince(params), calendars.changesSince(params)])),
      ),

      ...serve(openFeed, (params, context) => inCalendar(params, context, () => feeds.open(params, now()))),

      ...serve(readFeedPage, (params) => feeds.read(params)),

      ...serve(getCalendar, (params, context) =>
        inCalendar(params, context, async () =>
          calendarView(await calendars.find(params.guildId, params.calendarNumber)),
        ),
      ),

      ...serve(listCalendars, async ({ guildId }, context) => {
        const [written, most] = await Promise.all([calendars.list(guildId), limit.of(guildId, context)]);
        return everyCalendar(guildId, written, most).map(calendarView);
      }),

      ...serve(updateCalendar, (params, context) =>
        inCalendar(params, context, async () => {
          const { guildId, calendarNumber } = params;
          const changed = await calendarQueue.run(`${guildId}/${calendarNumber}`, () =>
            optimisticWrite({
              load: () => calendars.find(guildId, calendarNumber),
              decide: (stored) =>
                revisionMismatch(stored.revision, params.ifRevision) ?? changeCalendar(stored, params),
              save: (next) => calendars.replace(next),
              findDone: () => calendars.revisionWritten(guildId, calendarNumber),
            }),
          );
          if (isRefusal(changed)) return changed;
          const revision = typeof changed === "number" ? changed : changed.calendar.revision;
          broadcast(context, calendarChanged, { guildId, calendarNumber, revision });
          return { revision };
        }),
      ),
    },
    events: listen(guildSettingsChanged, ({ guildId }) => limit.forget(guildId)),
    async started(this: Service) {
      const onError = (error: unknown) => this.logger.warn({ err: error }, "new rules of time zones are not filed yet");
      following = followZoneRules(zoneRules, onError);
    },
    async stopped() {
      following?.stop();
    },
  };
}

/**
 * Removes the announcements of an event that is gone. The event is removed first: the announcements of an event that stays
 * would be lost, and those of one that is gone never fire. Where this fails they stay, and lists mark them as dangling.
 */
async function removeAnnouncements({ guildId, eventId }: EventReference, context: CallContext<unknown>) {
  const removal = callAction(context, removeAnnouncementsOfEvent, { guildId, eventId });
  return removal.catch(() => refuse("OUTCOME_UNKNOWN", undefined, ANNOUNCEMENTS_LEFT));
}

const ANNOUNCEMENTS_LEFT =
  "The event is deleted, but some of its announcements may be left: they are marked as dangling in the list";

/** Tells all who listen what was stored or removed, and passes it on. */
function told(context: CallContext<unknown>, written: Written | Refusal): Written | Refusal {
  if (isRefusal(written)) return written;
  const { guildId, id: eventId, revision } = written;
  broadcast(context, calendarEventChanged, { guildId, eventId, revision });
  return written;
}
