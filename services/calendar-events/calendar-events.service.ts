import type { Service, ServiceSchema } from "moleculer";
import { type CallContext, serve } from "../../mixins/actions/contract-action.ts";
import { listen } from "../../mixins/actions/contract-event.ts";
import { pageCursors } from "../../mixins/actions/page-cursor.ts";
import { type PagedList, pageOf } from "../../mixins/actions/page-entries.ts";
import { closedConnection, databaseMixin } from "../../mixins/mongo/database.mixin.ts";
import { healthMixin } from "../../mixins/actions/health.mixin.ts";
import { type ActionCaller, broadcast } from "../../mixins/actions/typed-calls.ts";
import {
  calendarEventChanged,
  calendarEventsChangesSince,
  calendarEventsCountChanges,
  createEvent,
  getEvent,
  listEvents,
  listOngoingEvents,
  removeEvent,
  updateEvent,
} from "../contracts/calendar-events.contract.ts";
import { findEvent, listExistingEvents } from "../contracts/event-references.contract.ts";
import { getOccurrence, listOccurrencesStarting, readDigest } from "../contracts/occurrences.contract.ts";
import {
  calendarChanged,
  type CalendarView,
  getCalendar,
  listCalendars,
  listCalendarsPage,
  updateCalendar,
} from "../contracts/calendars.contract.ts";
import { importEvents, type ImportEventsParams } from "../contracts/event-import.contract.ts";
import { listEventsPage, listOngoingEventsPage, searchEvents } from "../contracts/event-pages.contract.ts";
import { openFeed, readFeedPage } from "../contracts/feeds.contract.ts";
import { listChangedCalendars, listChangedEvents } from "../contracts/guild-changes.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import { guildSettingsChanged } from "../contracts/guild-settings.contract.ts";
import type { EpochMs, GuildId } from "../contracts/ids.ts";
import { calendarWrites } from "./calendar-writes.ts";
import { calendarFollows, type FollowOptions } from "./follow/calendar-follows.ts";
import { removeAnnouncements } from "./remove-announcements.ts";
import { DEFAULT_EVENTS_PER_GUILD } from "./calendar-events.settings.ts";
import { calendarEventsStore } from "./store/calendar-events.store.ts";
import { calendarLimit } from "./limits/calendar-limit.ts";
import { calendarWindows } from "./calendar-windows.ts";
import { calendarsStore } from "./store/calendars.store.ts";
import { calendarView, changeCalendar, allCalendars } from "./domain/calendar/calendar.ts";
import { mergedFeed } from "./merged-feed.ts";
import { announcedOccurrence } from "./domain/event/effective-occurrence.ts";
import { DIGEST_READ_MS, digestReader, digestTurns } from "./digest-reads.ts";
import { draftActions } from "./drafts/draft.actions.ts";
import { holidayReads } from "./holidays.ts";
import { eventSearch } from "./event-search.ts";
import { eventImport } from "./import/event-import.ts";
import { importsStore } from "./store/imports.store.ts";
import { eventWrites, type Written } from "./event-writes.ts";
import { feedPages } from "./feed/feed-pages.ts";
import { changedEventsReader } from "./store/changed-events.store.ts";
import { feedReads } from "./store/feed-reads.store.ts";
import { startZoneRulesCheck } from "./reindex-changed-zones.ts";
import { announcedOccurrences } from "./occurrences-by-anchor.ts";
import { eventResolver, toView } from "./event-resolver.ts";
import { zoneRulesStore } from "./store/zone-rules.store.ts";
import { windowPages } from "./window-pages.ts";

export interface CalendarEventsOptions {
  readonly mongoUrl: string;
  /** Largest number of events of a guild. */
  readonly eventsPerGuild?: number;
  /** The clock for the lists of ongoing events, and for the tags of feeds. */
  readonly now?: () => EpochMs;
  readonly follow?: FollowOptions;
}

/** The calendars of a guild are in the order of their numbers. */
const CALENDARS: PagedList<CalendarView, readonly [number]> = {
  cursors: pageCursors("calendars", [0]),
  positionOf: ({ calendarNumber }) => [calendarNumber],
};

/** The calendar events service; see README.md beside this file. */
export function calendarEventsService({
  mongoUrl,
  eventsPerGuild = DEFAULT_EVENTS_PER_GUILD,
  now = Date.now,
  follow = { allowPrivate: false },
}: CalendarEventsOptions): ServiceSchema {
  const connection = closedConnection();
  const store = calendarEventsStore(connection, eventsPerGuild);
  const calendars = calendarsStore(connection);
  const changes = mergedFeed([store, calendars]);
  const zoneRules = zoneRulesStore(connection);
  let zoneRulesCheck: ReturnType<typeof startZoneRulesCheck> | undefined;
  const windows = calendarWindows(store, calendars);
  const occurrences = announcedOccurrences(store, calendars, windows);
  const pages = windowPages(store, calendars);
  const digestOfDate = digestTurns(digestReader(calendars, windowPages(store, calendars, DIGEST_READ_MS)));
  const holidays = holidayReads(store, calendars);
  const search = eventSearch(store, calendars);
  const events = eventResolver(store, calendars);
  const feeds = feedPages(feedReads(connection));
  const changedEvents = changedEventsReader(connection, calendars);
  const writes = eventWrites(store, calendars, events);
  const limit = calendarLimit(() => performance.now());
  const writeCalendar = calendarWrites(calendars);
  const imports = importsStore(connection);
  const runImport = eventImport({ store, calendars, imports, clock: () => performance.now() });
  const follows = calendarFollows(
    { connection, store, calendars, imports, runImport, writeCalendar, isAllowed, ifAllowed },
    follow,
  );

  /** Whether the guild may have the calendar (D20). Every guild may have the first one. */
  async function isAllowed(guildId: GuildId, calendarNumber: number, caller: ActionCaller): Promise<boolean> {
    return calendarNumber === 1 || calendarNumber <= (await limit.of(guildId, caller));
  }

  /** Runs the work if the guild may have the calendar; refuses otherwise. */
  async function ifAllowed<Params extends { guildId: GuildId; calendarNumber: number }, Result>(
    params: Params,
    context: CallContext<Params>,
    work: () => Promise<Result | Refusal>,
  ): Promise<Result | Refusal> {
    return (await isAllowed(params.guildId, params.calendarNumber, context)) ? work() : refuse("CALENDAR_NOT_FOUND");
  }

  /** The same for a write of events, which a calendar that follows an address refuses (D55). */
  const ifWritable: typeof ifAllowed = (params, context, work) =>
    ifAllowed(params, context, async () => (await follows.refusal(params)) ?? work());

  function importEventsOf(params: ImportEventsParams, context: CallContext<unknown>) {
    const { guildId, calendarNumber } = params;
    return runImport(params, {
      event: ({ id: eventId, revision }) => broadcast(context, calendarEventChanged, { guildId, eventId, revision }),
      calendar: (revision) => broadcast(context, calendarChanged, { guildId, calendarNumber, revision }),
    });
  }

  async function calendarsOf(guildId: GuildId, context: CallContext<unknown>): Promise<CalendarView[]> {
    const [written, maxCalendars] = await Promise.all([calendars.list(guildId), limit.of(guildId, context)]);
    return allCalendars(guildId, written, maxCalendars).map(calendarView);
  }

  /** Finds an event or occurrence in any calendar that the guild may have. */
  async function findAllowed(guildId: GuildId, reference: string, context: CallContext<unknown>) {
    const resolved = await events.find(guildId, reference);
    return resolved !== undefined && (await isAllowed(guildId, resolved.event.calendarNumber, context))
      ? resolved
      : undefined;
  }

  return {
    name: "calendar-events",
    mixins: [databaseMixin(connection, mongoUrl, "calendar-events"), healthMixin("calendar-events", connection)],
    actions: {
      ...serve(createEvent, (params, context) =>
        ifWritable(params, context, async () => {
          const created = broadcastChange(context, await writes.create(params));
          return isRefusal(created) ? created : { eventId: created.id, revision: created.publicRevision };
        }),
      ),

      ...serve(updateEvent, (params, context) =>
        ifWritable(params, context, async () => {
          const updated = broadcastChange(context, await writes.update(params));
          if (isRefusal(updated)) return updated;
          const { following } = updated;
          if (following === undefined) return { revision: updated.publicRevision };
          broadcastChange(context, following);
          return { eventId: following.id, revision: following.publicRevision };
        }),
      ),

      ...serve(removeEvent, ({ announcements, ...params }, context) =>
        ifWritable(params, context, async () => {
          const removed = broadcastChange(context, await writes.remove(params));
          if (isRefusal(removed)) return removed;
          const eventId = params.scope === "all" ? removed.id : params.eventId;
          return announcements === "delete" ? removeAnnouncements({ ...params, eventId }, context) : undefined;
        }),
      ),

      ...serve(importEvents, (params, context) => ifWritable(params, context, () => importEventsOf(params, context))),

      ...serve(getEvent, (params, context) => ifAllowed(params, context, () => events.viewInCalendar(params))),

      ...serve(listEvents, (params, context) =>
        ifAllowed(params, context, () => windows.list(params.guildId, params.calendarNumber, params)),
      ),

      ...serve(listOngoingEvents, (params, context) =>
        ifAllowed(params, context, () => windows.listOngoing(params.guildId, params.calendarNumber, now())),
      ),

      ...serve(listEventsPage, (params, context) =>
        ifAllowed(params, context, () => pages.page(params, params, params)),
      ),

      ...serve(listOngoingEventsPage, (params, context) =>
        ifAllowed(params, context, () => pages.ongoingPage(params, now(), params)),
      ),

      ...serve(searchEvents, (params, context) => ifAllowed(params, context, () => search(params))),

      ...serve(findEvent, async ({ guildId, eventId }, context) => {
        const resolved = await findAllowed(guildId, eventId, context);
        return resolved === undefined ? null : toView(resolved);
      }),

      ...serve(listExistingEvents, async ({ guildId, eventIds, firstOccurrence = false }) => {
        // A split leaves the first occurrence in the first part, so that no following series has it.
        const mayBeFollowed = (eventId: string) => !firstOccurrence || eventId.includes("_");
        const find = (eventId: string) =>
          firstOccurrence ? events.findOccurrence(guildId, eventId) : events.find(guildId, eventId);
        const found = await Promise.all(eventIds.map(find));
        const missing = eventIds.filter((eventId, at) => found[at] === undefined && mayBeFollowed(eventId));
        const followed = await events.findFollowed(guildId, missing);
        return eventIds.filter((eventId, at) => found[at] !== undefined || followed.has(eventId));
      }),

      ...serve(listOccurrencesStarting, async (params, context) => {
        const mayHave = (calendarNumber: number) => isAllowed(params.guildId, calendarNumber, context);
        return holidays.ofList(params, await occurrences.list(params, mayHave), mayHave);
      }),

      ...serve(getOccurrence, async (params, context) => {
        const found = await findAllowed(params.guildId, params.occurrenceId, context);
        if (found?.occurrence === undefined) return null;
        const occurrence = announcedOccurrence(found.occurrence, found.calendar);
        return holidays.ofOne(params, occurrence, (number) => isAllowed(params.guildId, number, context));
      }),

      ...serve(readDigest, async (params, context) =>
        (await isAllowed(params.guildId, params.digest.calendarNumber, context)) ? digestOfDate(params) : null,
      ),

      ...draftActions({
        store,
        calendars,
        maxEvents: eventsPerGuild,
        followedRefusal: (calendar) => follows.refusal(calendar),
      }),

      ...serve(calendarEventsChangesSince, (params) => changes.changesSince(params)),

      ...serve(calendarEventsCountChanges, (params) => changes.countChanges(params)),

      ...serve(listChangedEvents, (params) => changedEvents(params)),

      ...serve(listChangedCalendars, (params) => calendars.listChanged(params)),

      ...serve(openFeed, (params, context) => ifAllowed(params, context, () => feeds.open(params, now()))),

      ...serve(readFeedPage, (params) => feeds.read(params)),

      ...serve(getCalendar, (params, context) =>
        ifAllowed(params, context, async () =>
          calendarView(await calendars.find(params.guildId, params.calendarNumber)),
        ),
      ),

      ...serve(listCalendars, ({ guildId }, context) => calendarsOf(guildId, context)),

      ...serve(listCalendarsPage, async ({ guildId, ...params }, context) =>
        pageOf(await calendarsOf(guildId, context), params, CALENDARS),
      ),

      ...serve(updateCalendar, (params, context) =>
        ifAllowed(params, context, async () => {
          const revision = await writeCalendar(params, (stored) => changeCalendar(stored, params));
          if (isRefusal(revision)) return revision;
          const { guildId, calendarNumber } = params;
          broadcast(context, calendarChanged, { guildId, calendarNumber, revision });
          return { revision };
        }),
      ),

      ...follows.actions,
    },
    events: listen(guildSettingsChanged, ({ guildId }) => limit.forget(guildId)),
    async started(this: Service) {
      const onError = (error: unknown) =>
        this.logger.warn({ err: error }, "the series are not reindexed by the new time zone rules yet");
      zoneRulesCheck = startZoneRulesCheck(zoneRules, onError);
      await follows.start(this);
    },
    async stopped() {
      zoneRulesCheck?.stop();
      await follows.stop();
    },
  };
}

/** Broadcasts the change if the write was stored. Returns its argument. */
function broadcastChange(context: CallContext<unknown>, written: Written | Refusal): Written | Refusal {
  if (isRefusal(written)) return written;
  const { guildId, id: eventId, revision, startsAt } = written;
  const created = startsAt === undefined ? {} : { startsAt };
  broadcast(context, calendarEventChanged, { guildId, eventId, revision, ...created });
  return written;
}
