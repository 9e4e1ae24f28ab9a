import { Schema } from "mongoose";
import { changedByOf, type Tracked, trackedIndexes, trackedPaths } from "../../../mixins/mongo/change-feed.ts";
import { FORMER_INDEX } from "../../../mixins/mongo/former-state.ts";
import { type Color, EVENT_TEXTS, type EventTexts, perText } from "../../contracts/calendar-events.contract.ts";
import type { Recurrence } from "../../contracts/recurrence.ts";
import type { EpochMs, EventId, GuildId } from "../../contracts/ids.ts";
import type { Anchor } from "../domain/calendar/calendar.ts";
import { type CalendarEvent, type ShownEvent, type StoredEvent, textsOf } from "../domain/event/event.ts";
import { occurrenceId } from "../domain/event/occurrence-id.ts";
import type { Override } from "../domain/event/override.ts";
import type { FormerFields, FormerOccurrenceFields } from "./former-events.store.ts";
import { type Entries, ENTRIES_INDEX, entriesOf, IN_ORDER_INDEX, movedEntries } from "../window-index/entries.ts";

interface Stamps {
  readonly scheduledAt?: Date;
  readonly coloredAt?: Date;
}

interface Placement {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  readonly startsAt: EpochMs;
  readonly endsAt: EpochMs;
}

interface EventFields extends Placement, EventTexts, Entries {
  readonly color: Color;
  readonly recurrence?: Recurrence;
  readonly anchor?: Anchor;
  readonly hasOverrides?: boolean;
  readonly lastDay?: number;
  readonly former?: FormerFields;
}

interface OverrideFields extends Partial<Placement>, Partial<Entries>, EventTexts {
  readonly eventId: EventId;
  readonly original: EpochMs;
  readonly cancelled: boolean;
  readonly color?: Color;
  readonly anchor?: Anchor;
}

/** An event as stored. */
export type EventRow = Tracked & EventFields & Required<Stamps>;

/** The stored override of an occurrence. It lies in the collection of the events, but not in the change feed. */
export type OverrideRow = { readonly _id: string } & OverrideFields & Stamps;

/** Fields that no read of events needs: the entries for windows, the place in the change feed, and the former state. */
export const WITHOUT_ENTRIES = { entries: 0, lastAt: 0, repeats: 0, changedAt: 0, writes: 0, former: 0 } as const;

/** Fields that searches leave out as well. */
export const FOUND = { ...WITHOUT_ENTRIES, changedBy: 0 } as const;

/** Fields that lists leave out as well. */
export const SHOWN = {
  ...FOUND,
  guildId: 0,
  calendarNumber: 0,
  revision: 0,
  deletedAt: 0,
  scheduledAt: 0,
  coloredAt: 0,
} as const;

/** A row as it is read. */
export type Row = ReadEventRow | OverrideRow;
type ReadEventRow = Omit<EventRow, keyof typeof WITHOUT_ENTRIES>;

/** Every field that a row of the collection may have. */
export type AnyRow = EventRow & Partial<Pick<OverrideRow, "eventId" | "original" | "cancelled">>;

const numbers = { type: [Number], default: undefined };
const recurrencePaths = {
  frequency: String,
  count: Number,
  interval: Number,
  byDay: { type: [String], default: undefined },
  byMonthDay: numbers,
  byMonth: numbers,
  bySetPos: numbers,
  until: Number,
  weekStart: String,
  exDates: numbers,
  rDates: numbers,
} satisfies Record<keyof Recurrence, unknown>;

/** An override is no record of the change feed. */
function isTracked(this: AnyRow): boolean {
  return this.original === undefined;
}

const anchorPath = { type: { timezone: String, version: Number }, _id: false };

/** Of an event, or of one occurrence. */
const formerPaths = {
  guildId: String,
  until: Date,
  calendarNumber: Number,
  startsAt: Number,
  endsAt: Number,
  color: String,
  recurrence: { type: recurrencePaths, _id: false },
  anchor: anchorPath,
  hasOverrides: Boolean,
  lastDay: Number,
  scheduledAt: Date,
  coloredAt: Date,
  eventId: String,
  isFirst: Boolean,
  scheduledSince: Date,
  coloredSince: Date,
} satisfies Record<keyof FormerFields | keyof FormerOccurrenceFields, unknown>;

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
    recurrence: { type: recurrencePaths, _id: false },
    anchor: anchorPath,
    hasOverrides: Boolean,
    lastDay: Number,
    eventId: String,
    original: Number,
    cancelled: Boolean,
    scheduledAt: Date,
    coloredAt: Date,
    former: { type: formerPaths, _id: false },
  },
  { collection: "calendar_events", versionKey: false },
);
for (const [keys, options] of trackedIndexes) eventSchema.index(keys, options);

/** Feeds are read by this, and the last write of a guild. */
export const FEED_INDEX = { guildId: 1, changedAt: 1, _id: 1 } as const;
eventSchema.index(FEED_INDEX, { partialFilterExpression: { changedAt: { $exists: true } } });

/** Windows are read by these. */
eventSchema.index(ENTRIES_INDEX, { partialFilterExpression: { entries: { $exists: true } } });
eventSchema.index(IN_ORDER_INDEX);

/** Finds what was called off. */
eventSchema.index(...FORMER_INDEX);

/** Finds the overrides of a series. */
eventSchema.index({ eventId: 1, original: 1 }, { partialFilterExpression: { eventId: { $exists: true } } });

export type EventDocument = Pick<CalendarEvent, "revision"> & EventFields & { readonly _id: EventId };

/** The row of an event, without what the database adds. */
export function documentOf(event: CalendarEvent): EventDocument {
  const { id, recurring, ...fields } = event;
  return { _id: id, ...fields, ...recurring, ...entriesOf(event) };
}

/** The event of a row; undefined for a tombstone. */
export function eventOf(row: ReadEventRow): StoredEvent | undefined {
  if (row.deletedAt !== undefined) return undefined;
  const { guildId, revision, calendarNumber, scheduledAt, coloredAt } = row;
  const stamps = { scheduledAt: scheduledAt.getTime(), coloredAt: coloredAt.getTime() };
  return { ...shownOf(row), guildId, calendarNumber, revision, ...stamps, ...changedByOf(row) };
}

/** The fields of an event that lists show; the row must not be a tombstone. */
export function shownOf(row: Omit<ReadEventRow, keyof typeof SHOWN>): ShownEvent {
  const { _id, startsAt, endsAt, color, recurrence, anchor, hasOverrides, lastDay } = row;
  const ofCount = lastDay === undefined ? {} : { lastDay };
  const recurring =
    recurrence === undefined || anchor === undefined
      ? {}
      : { recurring: { recurrence, anchor, hasOverrides: hasOverrides === true, ...ofCount } };
  return { id: _id as EventId, startsAt, endsAt, ...textsOf(row), color, ...recurring };
}

export type OverrideDocument = { readonly _id: string } & OverrideFields;

/** The row of an override: with entries for where the occurrence now is, if it was moved. */
export function overrideDocumentOf(event: CalendarEvent, override: Override): OverrideDocument {
  const { eventId, original, cancelled, texts, color, moved } = override;
  return {
    _id: occurrenceId(eventId, original),
    eventId,
    original,
    cancelled,
    ...texts,
    ...(color === undefined ? {} : { color }),
    guildId: event.guildId,
    calendarNumber: event.calendarNumber,
    ...(moved === undefined ? {} : { ...moved, ...movedEntries(moved) }),
  };
}

export function isOverrideRow(row: Row): row is OverrideRow {
  return "original" in row;
}

export function overrideOf(row: OverrideRow): Override {
  const { eventId, original, cancelled, color, startsAt, endsAt, anchor, scheduledAt, coloredAt } = row;
  const own = EVENT_TEXTS.filter((text) => row[text] !== undefined);
  const texts: EventTexts = Object.fromEntries(own.map((text) => [text, row[text]]));
  return {
    eventId,
    original,
    cancelled,
    texts,
    ...(color === undefined ? {} : { color }),
    ...(startsAt === undefined || endsAt === undefined || anchor === undefined
      ? {}
      : { moved: { startsAt, endsAt, anchor } }),
    ...(scheduledAt === undefined ? {} : { scheduledAt: scheduledAt.getTime() }),
    ...(coloredAt === undefined ? {} : { coloredAt: coloredAt.getTime() }),
  };
}
