import { currentWriteId } from "../../mixins/mongo/write-context.ts";
import { optimisticWrite } from "../../mixins/mongo/optimistic-write.ts";
import { bytesFromWriteId, newWriteId, timeOfWriteId } from "../../mixins/mongo/write-id.ts";
import { WriteQueue } from "../../mixins/mongo/write-queue.ts";
import type {
  CreateEventParams,
  EventReference,
  RemoveEventParams,
  UpdateEventParams,
} from "../contracts/calendar-events.contract.ts";
import { isRefusal, refuse, type Refusal } from "../contracts/errors.ts";
import type { EpochMs, EventId } from "../contracts/ids.ts";
import { type IfRevision, revisionMismatch } from "../contracts/revision.ts";
import type { CalendarEventsStore } from "./store/calendar-events.store.ts";
import type { CalendarsStore } from "./store/calendars.store.ts";
import { type Calendar, unwrittenCalendar } from "./domain/calendar/calendar.ts";
import { type ChangedEvent, changeEvent } from "./domain/event/change-event.ts";
import { editOf } from "./domain/event/edit-scope.ts";
import { endRefusal, seriesBefore, splitSeries } from "./domain/event/split-series.ts";
import { newEvent } from "./domain/event/create-event.ts";
import { type CalendarEvent, publicRevision } from "./domain/event/event.ts";
import { ID_RANDOM_BYTES, newEventId } from "./domain/event/event-id.ts";
import { cancelledOccurrence, type ChangedOverride, changeOccurrence } from "./domain/event/change-occurrence.ts";
import { announcedOccurrence, type EffectiveOccurrence } from "./domain/event/effective-occurrence.ts";
import type { ResolvedEvent, EventResolver } from "./event-resolver.ts";
import { changedSeries, validStarts, withOverrides, withValidOverrides } from "./series-revision.ts";

/** A stored revision. */
export interface Written extends Pick<CalendarEvent, "id" | "guildId" | "revision"> {
  /** The revision as the API shows it. */
  readonly publicRevision: string;
  /** Of a new event: its first start. */
  readonly startsAt?: EpochMs;
  /** The new series, if the write has split one (D51). */
  readonly following?: Written;
}

/** Creates, updates and removes events: loads, decides, saves. Each resolves with the stored revision. */
export interface EventWrites {
  create(params: CreateEventParams): Promise<Written | Refusal>;
  update(params: UpdateEventParams): Promise<Written | Refusal>;
  remove(params: Omit<RemoveEventParams, "announcements">): Promise<Written | Refusal>;
}

type InCalendar = Pick<EventReference, "guildId" | "calendarNumber">;

/** A decided write: the new revision, and the function that stores it. */
interface Write {
  readonly written: Written;
  save(): Promise<boolean | Refusal>;
}

/** The operations of the store that writes use. */
export type WritesStore = Pick<
  CalendarEventsStore,
  "overriddenStarts" | "insert" | "replace" | "saveOverride" | "split" | "remove" | "wasCreated" | "revisionWritten"
>;

/** @param newId - The id of an event that the current write creates: the same in each attempt of the write. */
export function eventWrites(
  store: WritesStore,
  calendars: Pick<CalendarsStore, "find">,
  events: EventResolver,
  newId: () => EventId = eventIdOfWrite,
): EventWrites {
  const queue = new WriteQueue();

  async function seriesWrite({ event: stored, calendar }: ResolvedEvent, next: ChangedEvent): Promise<Write> {
    const { keep, hadOverrides, ...changed } = await withValidOverrides(store, stored, next, calendar);
    return { written: toWritten(next.event, calendar), save: () => store.replace(changed.next, keep, hadOverrides) };
  }

  function occurrenceWrite(
    { event: stored, calendar }: ResolvedEvent,
    occurrence: EffectiveOccurrence,
    next: ChangedOverride,
  ): Write {
    const series = changedSeries(stored);
    const before = announcedOccurrence(occurrence, calendar);
    return { written: toWritten(series, calendar), save: () => store.saveOverride(series, next, before) };
  }

  /**
   * Splits the series before the occurrence, and applies the changes to the new series. The id of the new series comes
   * from the write, so that another attempt of it has the same.
   */
  async function splitWrite(
    { event: stored, calendar }: ResolvedEvent,
    original: EpochMs,
    id: EventId,
    changes: Parameters<typeof changeEvent>[1],
  ): Promise<Write | Refusal> {
    const split = splitSeries(stored, original, id, calendar);
    if (isRefusal(split)) return split;
    const next = changeEvent(split.following, changes, calendar);
    if (isRefusal(next)) return next;
    const starts =
      stored.recurring?.hasOverrides === true ? await store.overriddenStarts(stored.guildId, stored.id) : [];
    const later = starts.filter((start) => start >= original);
    if (later.length > MAX_MOVED_OVERRIDES) return refuse("INVALID_REQUEST", [TOO_MANY_OVERRIDES]);
    const keep = next.rescheduled ? validStarts(next.event, calendar, later) : later;
    const before = withOverrides(split.before, later.length < starts.length);
    const following = { ...next, event: withOverrides(next.event, keep.length > 0) };
    return {
      written: { ...toWritten(before, calendar), following: toWritten(following.event, calendar) },
      save: () => store.split({ before, following, stored, from: original, keep }),
    };
  }

  /** Ends the series before the occurrence. */
  async function shortenWrite({ event: stored, calendar }: ResolvedEvent, original: EpochMs): Promise<Write | Refusal> {
    const refusal = endRefusal(stored, original, calendar);
    if (refusal !== undefined) return refusal;
    const starts =
      stored.recurring?.hasOverrides === true ? await store.overriddenStarts(stored.guildId, stored.id) : [];
    const keep = starts.filter((start) => start < original);
    const event = withOverrides(seriesBefore(stored, original, calendar), keep.length > 0);
    const next = { event, rescheduled: false, recolored: false, isShortened: true } as const;
    const hadOverrides = starts.length > 0;
    const save = () => store.replace(next, hadOverrides ? keep : "all", hadOverrides);
    return { written: toWritten(event, calendar), save };
  }

  async function write(
    reference: EventReference,
    condition: IfRevision["ifRevision"],
    followingId: EventId | undefined,
    decide: (resolved: ResolvedEvent) => Promise<Write | Refusal> | Write | Refusal,
  ) {
    // An occurrence shares the revision and the write queue of its series.
    const [seriesId] = reference.eventId.split("_", 1);
    const outcome = await queue.run(`${reference.guildId}/${seriesId}`, () =>
      optimisticWrite({
        load: () => events.findInCalendar(reference),
        decide: (resolved) => {
          if (isRefusal(resolved)) return resolved;
          return revisionMismatch(publicRevision(resolved.event, resolved.calendar), condition) ?? decide(resolved);
        },
        save: (next) => next.save(),
        findEarlierAttempt: async () => {
          const revision = await store.revisionWritten(reference.guildId, seriesId as EventId);
          if (revision === undefined) return undefined;
          const earlier = await storedByEarlierAttempt(reference, seriesId as EventId, revision);
          if (followingId === undefined || !(await store.wasCreated({ ...reference, id: followingId }))) return earlier;
          const { written: following } = await storedByEarlierAttempt(reference, followingId, 1);
          return { written: { ...earlier.written, following } };
        },
      }),
    );
    return isRefusal(outcome) ? outcome : outcome.written;
  }

  /**
   * The revision that another attempt of the write has stored. A removed event is no longer found; its revision is
   * shown without the version of the zone.
   */
  async function storedByEarlierAttempt({ guildId, calendarNumber }: InCalendar, id: EventId, revision: number) {
    const resolved = await events.findInCalendar({ guildId, calendarNumber, eventId: id });
    const shown = isRefusal(resolved)
      ? `${revision}`
      : publicRevision({ ...resolved.event, revision }, resolved.calendar);
    return { written: { id, guildId, revision, publicRevision: shown } };
  }

  /** Reads the calendar of a new series or of dates. A single event with instants uses nothing of its calendar. */
  async function calendarFor({ guildId, calendarNumber, recurrence, allDay }: CreateEventParams): Promise<Calendar> {
    if (recurrence === undefined && allDay !== true) return unwrittenCalendar(guildId, calendarNumber);
    return calendars.find(guildId, calendarNumber);
  }

  return {
    async create(params) {
      const id = newId();
      const outcome = await optimisticWrite({
        load: () => calendarFor(params),
        decide(calendar) {
          const event = newEvent(params, id, calendar);
          return isRefusal(event)
            ? event
            : { event, written: { ...toWritten(event, calendar), startsAt: event.startsAt } };
        },
        save: ({ event }) => store.insert(event),
        findEarlierAttempt: async () =>
          (await store.wasCreated({ id, guildId: params.guildId })) ? storedByEarlierAttempt(params, id, 1) : undefined,
      });
      return isRefusal(outcome) ? outcome : outcome.written;
    },

    update({ guildId, calendarNumber, eventId, ifRevision, scope, ...changes }) {
      const followingId = newId();
      const reference = { guildId, calendarNumber, eventId };
      return write(reference, ifRevision, scope === "following" ? followingId : undefined, (resolved) => {
        const { event, occurrence, calendar } = resolved;
        const edit = editOf(resolved, scope);
        if (isRefusal(edit)) return edit;
        if (edit.scope === "following") return splitWrite(resolved, edit.original, followingId, changes);
        if (edit.scope === "all" || occurrence === undefined) {
          const next = changeEvent(event, changes, calendar);
          return isRefusal(next) ? next : seriesWrite(resolved, next);
        }
        const next = changeOccurrence(occurrence, edit.original, changes, calendar);
        return isRefusal(next) ? next : occurrenceWrite(resolved, occurrence, next);
      });
    },

    remove: ({ ifRevision, scope, ...reference }) =>
      write(reference, ifRevision, undefined, (resolved) => {
        const { event, occurrence, calendar } = resolved;
        const edit = editOf(resolved, scope);
        if (isRefusal(edit)) return edit;
        if (edit.scope === "following") return shortenWrite(resolved, edit.original);
        if (edit.scope === "all" || occurrence === undefined) {
          const written = toWritten({ ...event, revision: event.revision + 1 }, calendar);
          return { written, save: () => store.remove(event) };
        }
        return occurrenceWrite(resolved, occurrence, cancelledOccurrence(event.id, edit.original));
      }),
  };
}

/** Largest number of changed occurrences that a split gives to the new series: they are one transaction. */
const MAX_MOVED_OVERRIDES = 1_000;

const TOO_MANY_OVERRIDES = {
  field: "scope",
  code: "TOO_MANY",
  message: `must not be following with more than ${MAX_MOVED_OVERRIDES} changed or cancelled occurrences from there on`,
} as const;

/** An id that follows from the id of the current write. */
function eventIdOfWrite(): EventId {
  const writeId = currentWriteId() ?? newWriteId();
  return newEventId(timeOfWriteId(writeId), bytesFromWriteId(writeId, ID_RANDOM_BYTES));
}

function toWritten(event: CalendarEvent, calendar: Calendar): Written {
  const { id, guildId, revision } = event;
  return { id, guildId, revision, publicRevision: publicRevision(event, calendar) };
}
