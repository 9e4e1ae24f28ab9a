import {
  EVENT_ID,
  EVENT_OR_OCCURRENCE_ID,
  type EpochMs,
  type EventId,
  type OccurrenceId,
} from "../../../contracts/ids.ts";

/** The parts of an id: an event, and for an occurrence its original start. */
export interface ParsedEventId {
  readonly eventId: EventId;
  readonly original?: EpochMs;
}

/**
 * Formats the id of one occurrence (D12); inverse of `parseEventId`. Milliseconds are written only if they are not 0.
 */
export function occurrenceId(eventId: EventId, original: EpochMs): OccurrenceId {
  // The text is 2024-05-06T12:00:00.000Z. It is cut instead of matched, because a list has one id for each of its
  // entries.
  const iso = new Date(original).toISOString();
  const day = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 13);
  const ms = iso.slice(20, 23);
  return `${eventId}_${day}${iso.slice(14, 16)}${iso.slice(17, 19)}${ms === "000" ? "" : ms}Z` as OccurrenceId;
}

/** Parses an id; undefined for a text that is not a canonical id, such as `…T200000000Z`. */
export function parseEventId(text: string): ParsedEventId | undefined {
  if (EVENT_ID.test(text)) return { eventId: text as EventId };
  if (!EVENT_OR_OCCURRENCE_ID.test(text)) return undefined;
  const [eventId, stamp] = text.split("_") as [EventId, string];
  const original = Date.parse(
    stamp.replace(
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})?Z$/,
      (_, y, mo, d, h, mi, s, ms = "000") => `${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`,
    ),
  );
  return !Number.isNaN(original) && occurrenceId(eventId, original) === text ? { eventId, original } : undefined;
}
