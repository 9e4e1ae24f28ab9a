import { Schema } from "mongoose";
import { type Tracked, trackedIndexes, trackedPaths } from "../../mixins/change-feed.ts";
import type { Color, EventTexts, Recurrence } from "../contracts/calendar-events.contract.ts";
import type { EpochMs, EventId } from "../contracts/ids.ts";
import type { CalendarClock } from "./domain/calendar-clock.ts";
import { type CalendarEvent, seriesOf, type StoredEvent, textsOf } from "./domain/event.ts";
import { forkOf } from "./domain/interval-tree.ts";
import { laneOf, phaseOf, SINGLE } from "./domain/lanes.ts";
import { seriesEnd } from "./domain/occurrences.ts";
import { lastMsOf } from "./domain/window.ts";

/** How an event is filed, so that windows find it (README, "How a window is read"). */
interface Filing {
  /** `<calendar number>/<lane of the domain>`. */
  readonly lane: string;
  readonly fork: number;
  readonly phase: number;
  /** The last millisecond of the event, or of the whole series. */
  readonly lastAt: EpochMs;
}

/** An event as stored. */
export type EventRow = Tracked &
  Filing &
  EventTexts & {
    readonly calendarNumber: number;
    readonly startsAt: EpochMs;
    readonly endsAt: EpochMs;
    readonly color: Color;
    readonly recurrence?: Recurrence;
    readonly scheduledAt: Date;
    readonly coloredAt: Date;
  };

/** The last millisecond of what has no end. */
const FOR_EVER = Number.MAX_SAFE_INTEGER;

export const eventSchema = new Schema<EventRow>(
  {
    _id: { type: String, required: true },
    ...trackedPaths,
    calendarNumber: Number,
    lane: String,
    fork: Number,
    phase: Number,
    startsAt: Number,
    endsAt: Number,
    lastAt: Number,
    name: String,
    description: String,
    location: String,
    image: String,
    color: String,
    recurrence: { type: { frequency: String, count: Number, interval: Number }, _id: false },
    scheduledAt: Date,
    coloredAt: Date,
  },
  { collection: "calendar_events", versionKey: false },
);
for (const [keys, options] of trackedIndexes) eventSchema.index(keys, options);

export const BY_END = { guildId: 1, lane: 1, fork: 1, phase: 1, lastAt: 1 } as const;
export const BY_START = { guildId: 1, lane: 1, fork: 1, phase: 1, startsAt: 1 } as const;
export const IN_ORDER = { guildId: 1, lane: 1, startsAt: 1 } as const;
for (const keys of [BY_END, BY_START, IN_ORDER]) eventSchema.index(keys);

export type EventDocument = Omit<CalendarEvent, "id"> & Filing & { readonly _id: EventId };

/** The row of an event, without what the database adds. */
export function documentOf(event: CalendarEvent, clock: CalendarClock): EventDocument {
  const { id, ...fields } = event;
  return { _id: id, ...fields, ...filingOf(event, clock) };
}

function filingOf(event: CalendarEvent, clock: CalendarClock): Filing {
  const prefix = lanePrefix(event.calendarNumber);
  const series = seriesOf(event, clock);
  if (series === undefined) {
    const lastAt = lastMsOf(event);
    return { lane: prefix + SINGLE, fork: forkOf(event.startsAt, lastAt), phase: 0, lastAt };
  }
  const endsAt = seriesEnd(series);
  const lastAt = endsAt === undefined ? undefined : lastMsOf({ startsAt: event.startsAt, endsAt });
  const fork = forkOf(event.startsAt, lastAt);
  return { lane: prefix + laneOf(series), fork, phase: phaseOf(series), lastAt: lastAt ?? FOR_EVER };
}

/** What the names of a calendar's lanes begin with. */
export function lanePrefix(calendarNumber: number): string {
  return `${calendarNumber}/`;
}

/** The event of a row; undefined for a tombstone. */
export function eventOf(row: EventRow | null): StoredEvent | undefined {
  if (row === null || row.deletedAt !== undefined) return undefined;
  const { _id, guildId, revision, calendarNumber, startsAt, endsAt, color, recurrence } = row;
  return {
    id: _id as EventId,
    guildId,
    calendarNumber,
    revision,
    startsAt,
    endsAt,
    ...textsOf(row),
    color,
    ...(recurrence === undefined ? {} : { recurrence }),
    scheduledAt: row.scheduledAt.getTime(),
    coloredAt: row.coloredAt.getTime(),
  };
}
