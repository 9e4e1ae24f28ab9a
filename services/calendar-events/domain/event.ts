import type { Color, EventTexts, EventView, Occurrence, Recurrence } from "../../contracts/calendar-events.contract.ts";
import type { EpochMs, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import type { CalendarClock } from "./calendar-clock.ts";
import { occurrenceId } from "./occurrence-id.ts";
import type { Series, Slot } from "./occurrences.ts";
import type { Times } from "./window.ts";

/** A single event, or a series: then the times are its first occurrence's. */
export interface CalendarEvent extends EventTexts, Times {
  readonly id: EventId;
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** Counts the writes, from 1. */
  readonly revision: number;
  readonly color: Color;
  /** Present on a series alone. */
  readonly recurrence?: Recurrence;
}

/** An event as it is kept, with the times that the database gave it. */
export interface StoredEvent extends CalendarEvent {
  /** When it got the start that it has now: created, moved, or its rule changed (D31). */
  readonly scheduledAt: EpochMs;
  /** When it got its colour (D31). */
  readonly coloredAt: EpochMs;
}

export const TEXTS = ["name", "description", "location", "image"] as const satisfies readonly (keyof EventTexts)[];

/** The event's recurrence with its times, on a clock; undefined for a single event. */
export function seriesOf({ startsAt, endsAt, recurrence }: CalendarEvent, clock: CalendarClock): Series | undefined {
  return recurrence === undefined ? undefined : { startsAt, endsAt, recurrence, clock };
}

/** The event itself as the API shows it: of a series the parent, with the first occurrence's times (D18). */
export function eventView(event: CalendarEvent): EventView {
  return { ...shown(event), eventId: event.id, startsAt: event.startsAt, endsAt: event.endsAt };
}

/** One occurrence of a series as the API shows it (D18). */
export function occurrenceView(event: CalendarEvent, { original, startsAt, endsAt }: Slot): EventView {
  return { ...shown(event), eventId: occurrenceId(event.id, original), startsAt, endsAt, isParent: false };
}

function shown(event: CalendarEvent): Omit<EventView, "eventId" | "startsAt" | "endsAt"> {
  const { color, recurrence } = event;
  const recurs = recurrence !== undefined;
  return { ...textsOf(event), color, isParent: recurs, recurs, ...(recurs ? { recurrence } : {}) };
}

/** A single event as its own only occurrence. */
export function singleOccurrence(event: StoredEvent, timezone: string): Occurrence {
  const occurrence = event.id as string as OccurrenceId;
  const { startsAt, endsAt, scheduledAt } = event;
  return { ...announced(event), occurrenceId: occurrence, timezone, startsAt, endsAt, isFirst: true, scheduledAt };
}

/** One occurrence of a series, with what dispatch needs of it. */
export function seriesOccurrence(event: StoredEvent, slot: Slot, timezone: string): Occurrence {
  const { original, startsAt, endsAt, isFirst, movedAt = 0 } = slot;
  const scheduledAt = Math.max(event.scheduledAt, movedAt);
  const id = occurrenceId(event.id, original);
  return { ...announced(event), occurrenceId: id, timezone, startsAt, endsAt, isFirst, scheduledAt };
}

type Announced = Omit<Occurrence, "occurrenceId" | "timezone" | "startsAt" | "endsAt" | "isFirst" | "scheduledAt">;

function announced(event: StoredEvent): Announced {
  const { id: eventId, calendarNumber, color, coloredAt, recurrence } = event;
  return { ...textsOf(event), eventId, calendarNumber, color, coloredAt, recurs: recurrence !== undefined };
}

/** The texts that are there; an empty one is an absent one. */
export function textsOf(texts: { readonly [Text in keyof EventTexts]?: string | null | undefined }): EventTexts {
  const present: { -readonly [Text in keyof EventTexts]: EventTexts[Text] } = {};
  for (const text of TEXTS) {
    const value = texts[text];
    if (typeof value === "string" && value !== "") present[text] = value;
  }
  return present;
}
