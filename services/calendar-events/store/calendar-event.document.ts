import { Schema } from "mongoose";
import { complete } from "../../../mixins/objects/complete.ts";
import { definedFields } from "../../../mixins/objects/defined-fields.ts";
import { changedByField, type Tracked, trackedIndexes, trackedPaths } from "../../../mixins/mongo/tracked-record.ts";
import { FORMER_INDEX } from "../../../mixins/mongo/former-state.ts";
import { type Color, EVENT_TEXTS, type EventTexts, perText } from "../../contracts/calendar-events.contract.ts";
import type { Pause } from "../../contracts/pause.ts";
import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import { type CalendarEvent, type ListedEvent, type StoredEvent, textsOf } from "../domain/event/event.ts";
import { occurrenceId } from "../domain/event/occurrence-id.ts";
import type { Override, OverrideDraft } from "../domain/event/override.ts";
import { type FormerEventFields, formerPaths } from "./former-events.store.ts";
import type { Days } from "../domain/calendar/days.ts";
import { daysIn } from "../domain/event/given-times.ts";
import { type OverrideChanges, overrideWith } from "./override-fields.ts";
import { allDayOf, daysPath, type RecurringFields, recurringOf, recurringPaths } from "./recurring-fields.ts";
import {
  type IndexFields,
  ENTRIES_INDEX,
  indexFieldsOf,
  START_INDEX,
  movedIndexFields,
} from "../window-index/entries.ts";

interface Stamps {
  readonly scheduledAt?: Date;
  readonly coloredAt?: Date;
  readonly endSetAt?: Date;
  readonly createdAt?: Date;
}

interface Placement {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
}

interface EventFields extends Placement, EventTexts, RecurringFields, IndexFields, Pause {
  /** The dates of an all-day event, in the zone of `anchor`. */
  readonly days?: Days;
  readonly follows?: readonly EventId[];
  readonly color: Color;
  readonly uid?: string;
  readonly former?: FormerEventFields;
}

interface OverrideFields
  extends Partial<Placement>, Partial<IndexFields>, EventTexts, Omit<OverrideChanges, keyof Stamps> {
  readonly eventId: EventId;
}

/** The stored form of an event, a series included. */
export type EventRow = Tracked & EventFields & Stamps & Required<Pick<Stamps, "scheduledAt" | "coloredAt">>;

/** The stored form of an override. It is in the collection of the events, but not in the change feed. */
export type OverrideRow = { readonly _id: string } & OverrideFields & Stamps;

/**
 * Excludes the fields that no read of events needs: those of the window index, the change feed and the former state.
 */
export const READ_PROJECTION = { entries: 0, lastAt: 0, repeats: 0, changedAt: 0, writes: 0, former: 0 } as const;

/** Excludes also the fields that searches do not need. */
export const SEARCH_PROJECTION = { ...READ_PROJECTION, changedBy: 0 } as const;

/** Excludes also the fields that lists do not need. */
export const LIST_PROJECTION = {
  ...SEARCH_PROJECTION,
  guildId: 0,
  calendarNumber: 0,
  uid: 0,
  revision: 0,
  deletedAt: 0,
  follows: 0,
  scheduledAt: 0,
  coloredAt: 0,
  endSetAt: 0,
  createdAt: 0,
  pauseEndedAt: 0,
} as const;

/** A row without the excluded fields. */
export type Row = ReadEventRow | OverrideRow;
type ReadEventRow = Omit<EventRow, keyof typeof READ_PROJECTION>;

/** All fields that a row of the collection may have. */
export type AnyRow = EventRow & Partial<Pick<OverrideRow, "eventId" | "original" | "cancelled">>;

/** An override is not a record of the change feed. */
function isTracked(this: AnyRow): boolean {
  return this.original === undefined;
}

export const eventSchema = new Schema<AnyRow>(
  {
    _id: { type: String, required: true },
    ...trackedPaths,
    revision: { type: Number, required: isTracked },
    changedAt: { type: Date, required: isTracked },
    calendarNumber: Number,
    entries: { type: [Number], default: undefined },
    repeats: { type: { unit: String, every: Number, from: Number, reaches: Number }, _id: false },
    lastAt: Number,
    startsAt: Number,
    endsAt: Number,
    ...perText(() => String),
    color: String,
    uid: String,
    ...recurringPaths,
    days: daysPath,
    follows: { type: [String], default: undefined },
    eventId: String,
    original: Number,
    cancelled: Boolean,
    pausedUntil: Number,
    pauseEndedAt: Number,
    scheduledAt: Date,
    coloredAt: Date,
    endSetAt: Date,
    createdAt: Date,
    former: { type: formerPaths, _id: false },
  } satisfies Record<keyof AnyRow, unknown>,
  { collection: "calendar_events", versionKey: false },
);
for (const [keys, options] of trackedIndexes) eventSchema.index(keys, options);

/** For reads of feeds, and of the last write of a guild. */
export const FEED_INDEX = { guildId: 1, changedAt: 1, _id: 1 } as const;
eventSchema.index(FEED_INDEX, { partialFilterExpression: { changedAt: { $exists: true } } });

/** For searches, which read a calendar in the order of ids: an id never changes, unlike a start. */
export const ID_INDEX = { guildId: 1, calendarNumber: 1, _id: 1 } as const;
eventSchema.index(ID_INDEX, { partialFilterExpression: { calendarNumber: { $exists: true } } });

/** For imports, which find events by UID. The lease of a calendar's imports ensures that a UID has one event (`imports.store.ts`). */
export const UID_INDEX = { guildId: 1, calendarNumber: 1, uid: 1 } as const;
eventSchema.index(UID_INDEX, { partialFilterExpression: { uid: { $exists: true } } });

/** The window index, and the index of single events by start. */
eventSchema.index(ENTRIES_INDEX, { partialFilterExpression: { entries: { $exists: true } } });
eventSchema.index(START_INDEX);

/** For reads of all-day events, whose stored times may be those of an earlier zone. */
export const ALL_DAY_INDEX = { guildId: 1, calendarNumber: 1, startsAt: 1, days: 1 } as const;
eventSchema.index(ALL_DAY_INDEX, { partialFilterExpression: { days: { $exists: true } } });

/** For reads of the series that follow one. */
export const FOLLOWS_INDEX = { guildId: 1, follows: 1 } as const;
eventSchema.index(FOLLOWS_INDEX, { partialFilterExpression: { follows: { $exists: true } } });

/** For reads of former states. */
eventSchema.index(...FORMER_INDEX);

/** For reads of the overrides of a series. */
export const OVERRIDES_INDEX = { eventId: 1, original: 1 } as const;
eventSchema.index(OVERRIDES_INDEX, { partialFilterExpression: { eventId: { $exists: true } } });

export type EventDocument = Pick<CalendarEvent, "revision"> & EventFields & { readonly _id: EventId };

/** The row of an event, without the fields that the database computes. */
export function documentOf(event: CalendarEvent): EventDocument {
  const { id, recurring, allDay, ...fields } = event;
  const dates = allDay === undefined ? {} : { days: daysIn(allDay), anchor: allDay.anchor };
  return { _id: id, ...fields, ...dates, ...recurring, ...indexFieldsOf(event) };
}

/** The event of a row; undefined for a tombstone. */
export function eventOf(row: ReadEventRow): StoredEvent | undefined {
  if (row.deletedAt !== undefined) return undefined;
  const { guildId, revision, calendarNumber, uid, follows, pauseEndedAt } = row;
  const { scheduledAt, coloredAt, endSetAt, createdAt } = row;
  const stamps = { scheduledAt: scheduledAt.getTime(), coloredAt: coloredAt.getTime() };
  return complete<StoredEvent>()({
    ...listedEventOf(row),
    guildId,
    calendarNumber,
    revision,
    ...definedFields({ uid, follows, pauseEndedAt }),
    ...stamps,
    ...definedFields({ endSetAt: endSetAt?.getTime(), createdAt: createdAt?.getTime() }),
    ...changedByField(row),
  });
}

/** The fields of an event that lists need. The row must not be a tombstone. */
export function listedEventOf(row: Omit<ReadEventRow, keyof typeof LIST_PROJECTION>): ListedEvent {
  const { _id, startsAt, endsAt, color, pausedUntil } = row;
  const recurring = recurringOf(row);
  const allDay = allDayOf(row);
  return complete<ListedEvent>()({
    id: _id as EventId,
    startsAt,
    endsAt,
    ...textsOf(row),
    color,
    ...definedFields({ recurring, allDay, pausedUntil }),
  });
}

export interface OverrideDocument extends OverrideFields {
  readonly _id: string;
}

/** The row of an override. If the occurrence was moved, the row has index fields for its present times. */
export function overrideDocumentOf(event: CalendarEvent, override: OverrideDraft): OverrideDocument {
  const { eventId, original, cancelled, texts, color, moved } = override;
  return complete<OverrideDocument>()({
    _id: occurrenceId(eventId, original),
    eventId,
    original,
    cancelled,
    ...texts,
    ...definedFields({ color }),
    guildId: event.guildId,
    calendarNumber: event.calendarNumber,
    ...(moved === undefined ? {} : { ...moved, ...movedIndexFields(moved) }),
  });
}

export function isOverrideRow(row: Row): row is OverrideRow {
  return "original" in row;
}

export function overrideOf(row: OverrideRow): Override {
  const own = EVENT_TEXTS.filter((text) => row[text] !== undefined);
  return overrideWith(row.eventId, row, Object.fromEntries(own.map((text) => [text, row[text]])));
}
