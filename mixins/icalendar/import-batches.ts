import { MAX_BATCH_EVENTS, MAX_BATCH_ZONES } from "../../services/contracts/event-import.contract.ts";
import type { ScannedCalendar } from "./calendar-scanner.ts";
import type { ScannedEvent, UnreadableEvent } from "./event-lines.ts";

/** VEVENTs for one call. */
export interface ImportBatch {
  readonly events: readonly ScannedEvent[];
  /** The indexes of those whose series is in the body. */
  readonly ofSeries: readonly number[];
  readonly zones: readonly string[];
}

/** VEVENTs in the order in which they are sent, and those that another one replaces. */
export interface OrderedEvents {
  readonly events: readonly PlacedEvent[];
  readonly duplicates: readonly UnreadableEvent[];
}

interface PlacedEvent {
  readonly event: ScannedEvent;
  readonly isOfSeries: boolean;
}

/** Bytes of the events, and of the time zones, of one call: together less than the largest request on the bus. */
const [MAX_EVENTS_BYTES, MAX_ZONES_BYTES] = [57_344, 24_576];

/** Orders by UID, a series before its occurrences. Of several VEVENTs for the same thing the one with the highest SEQUENCE counts. */
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
  const placed: PlacedEvent[] = [];
  for (const ofUid of byUid.values()) {
    const series = ofUid.get("");
    if (series !== undefined) placed.push({ event: series, isOfSeries: false });
    for (const event of ofUid.values()) {
      if (event !== series) placed.push({ event, isOfSeries: series !== undefined });
    }
  }
  return { events: placed, duplicates };
}

/** The VEVENTs from a place on that fit into one call. */
export function batchFrom(events: readonly PlacedEvent[], zones: ScannedCalendar["zones"], from: number): ImportBatch {
  const batch: PlacedEvent[] = [];
  const named = new Map<string, string>();
  let [bytes, zoneBytes] = [0, 0];
  for (const placed of events.slice(from, from + MAX_BATCH_EVENTS)) {
    const added = placed.event.zones.flatMap((tzid) => {
      const text = named.has(tzid) ? undefined : zones.get(tzid);
      return text === undefined ? [] : [[tzid, text] as const];
    });
    bytes += Buffer.byteLength(placed.event.text) + 3;
    for (const [, text] of added) zoneBytes += Buffer.byteLength(text);
    const isFull =
      bytes > MAX_EVENTS_BYTES || zoneBytes > MAX_ZONES_BYTES || named.size + added.length > MAX_BATCH_ZONES;
    if (isFull && batch.length > 0) break;
    for (const [tzid, text] of added) named.set(tzid, text);
    batch.push(placed);
  }
  return {
    events: batch.map(({ event }) => event),
    ofSeries: batch.flatMap(({ isOfSeries }, at) => (isOfSeries ? [at] : [])),
    zones: [...named.values()],
  };
}
