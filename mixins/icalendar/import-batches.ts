import { MAX_BATCH_EVENTS, MAX_BATCH_ZONES } from "../../services/contracts/event-import.contract.ts";
import type { ScannedCalendar } from "./calendar-scanner.ts";
import type { ScannedEvent, UnreadableEvent } from "./event-lines.ts";

/** VEVENTs for one call. */
export interface ImportBatch {
  readonly events: readonly ScannedEvent[];
  /** The indexes of the overrides whose series is in the same body. */
  readonly ofSeries: readonly number[];
  readonly zones: readonly string[];
}

/** VEVENTs in the order in which they are sent, and those that another VEVENT replaces. */
export interface OrderedEvents {
  readonly events: readonly OrderedEvent[];
  readonly duplicates: readonly UnreadableEvent[];
}

interface OrderedEvent {
  readonly event: ScannedEvent;
  readonly isOfSeries: boolean;
}

/**
 * Largest size in bytes of the events, and of the time zones, of one call with several events: together less than the
 * largest request on the bus.
 */
const [MAX_EVENTS_BYTES, MAX_ZONES_BYTES] = [57_344, 24_576];

/**
 * Groups VEVENTs by UID, in each group the series before its overrides. Of several VEVENTs with one UID and RECURRENCE-ID
 * the one with the highest SEQUENCE counts, and the last of those.
 */
export function orderEvents(events: readonly ScannedEvent[]): OrderedEvents {
  const byUid = new Map<string, Map<string, ScannedEvent>>();
  const duplicates: UnreadableEvent[] = [];
  for (const event of events) {
    const ofUid = byUid.get(event.uid) ?? new Map<string, ScannedEvent>();
    byUid.set(event.uid, ofUid);
    const other = ofUid.get(event.recurrenceId);
    const isReplaced = other !== undefined && other.sequence > event.sequence;
    if (other !== undefined) duplicates.push({ line: (isReplaced ? event : other).line, reason: "DUPLICATE" });
    if (!isReplaced) ofUid.set(event.recurrenceId, event);
  }
  const ordered: OrderedEvent[] = [];
  for (const ofUid of byUid.values()) {
    const series = ofUid.get("");
    if (series !== undefined) ordered.push({ event: series, isOfSeries: false });
    for (const event of ofUid.values()) {
      if (event !== series) ordered.push({ event, isOfSeries: series !== undefined });
    }
  }
  return { events: ordered, duplicates };
}

/** The VEVENTs from the index `from` on that fit into one call, with the VTIMEZONEs that they name; at least one VEVENT. */
export function batchFrom(events: readonly OrderedEvent[], zones: ScannedCalendar["zones"], from: number): ImportBatch {
  const batch: OrderedEvent[] = [];
  const named = new Map<string, string>();
  let [bytes, zoneBytes] = [0, 0];
  for (const ordered of events.slice(from, from + MAX_BATCH_EVENTS)) {
    const added = ordered.event.zones.flatMap((tzid) => {
      const text = named.has(tzid) ? undefined : zones.get(tzid);
      return text === undefined ? [] : [[tzid, text] as const];
    });
    bytes += Buffer.byteLength(ordered.event.text) + 3;
    for (const [, text] of added) zoneBytes += Buffer.byteLength(text);
    const isFull =
      bytes > MAX_EVENTS_BYTES || zoneBytes > MAX_ZONES_BYTES || named.size + added.length > MAX_BATCH_ZONES;
    if (isFull && batch.length > 0) break;
    for (const [tzid, text] of added) named.set(tzid, text);
    batch.push(ordered);
  }
  return {
    events: batch.map(({ event }) => event),
    ofSeries: batch.flatMap(({ isOfSeries }, at) => (isOfSeries ? [at] : [])),
    zones: [...named.values()],
  };
}
