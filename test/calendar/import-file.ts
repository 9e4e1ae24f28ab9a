import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CalendarScanner, type ScannedCalendar } from "../../mixins/icalendar/calendar-scanner.ts";
import { orderEvents } from "../../mixins/icalendar/import-batches.ts";
import { LineReader } from "../../mixins/icalendar/line-reader.ts";
import type { Calendar, ZoneChange } from "../../services/calendar-events/domain/calendar/calendar.ts";
import { cancelledFields } from "../../services/calendar-events/import/import-occurrence.ts";
import { readImport } from "../../services/calendar-events/import/read-import.ts";
import {
  effectiveOccurrence,
  occurrenceView,
  singleOccurrence,
} from "../../services/calendar-events/domain/event/effective-occurrence.ts";
import { type CalendarEvent, seriesOf, type StoredEvent } from "../../services/calendar-events/domain/event/event.ts";
import { parseEventId } from "../../services/calendar-events/domain/event/occurrence-id.ts";
import type { Override } from "../../services/calendar-events/domain/event/override.ts";
import { applyEvent } from "../../services/calendar-events/domain/import/apply-event.ts";
import {
  applyOccurrence,
  type OccurrenceFields,
  type StoredOccurrence,
} from "../../services/calendar-events/domain/import/apply-occurrence.ts";
import type { ImportedEvent } from "../../services/calendar-events/domain/import/imported-event.ts";
import { type OccurrenceKey, occurrenceOf } from "../../services/calendar-events/domain/import/imported-instant.ts";
import { occurrencesStarting } from "../../services/calendar-events/domain/recurrence/occurrences.ts";
import { validStarts } from "../../services/calendar-events/series-revision.ts";
import type { EventView } from "../../services/contracts/calendar-events.contract.ts";
import type { ChangeReason, SkipReason } from "../../services/contracts/event-import.contract.ts";
import type { EpochMs, EventId, GuildId } from "../../services/contracts/ids.ts";
import type { Window } from "../../services/contracts/window.ts";
import { PROJECT } from "../harness/guildcal-process.ts";

/** A file of test/fixtures/ics with the line breaks of iCalendar. */
export function calendarFile(name: string): string {
  return readFileSync(join(PROJECT, "test/fixtures/ics", name), "utf8").replaceAll("\n", "\r\n");
}

/** An event with the overrides of its occurrences. */
export interface MemoryEvent {
  readonly event: CalendarEvent;
  readonly overrides: Map<EpochMs, Override>;
}

/** A VEVENT that was skipped or changed, by its UID. */
type Finding = readonly [uid: string, reason: SkipReason | ChangeReason];

export interface MemoryImport {
  readonly events: readonly CalendarEvent[];
  readonly findings: readonly Finding[];
  /** The number of events and overrides that were written. */
  readonly writes: number;
  /** The calendar after the import, by UID or by id, for a further one. */
  readonly memory: ReadonlyMap<string, MemoryEvent>;
  /** All occurrences that start in a window, in order. */
  readonly views: (window: Window) => EventView[];
  /** Starts of all occurrences in a window, in order. */
  readonly starts: (window: Window) => number[];
}

/** The components of a text. */
function scanned(text: string): ScannedCalendar {
  const [lines, scanner] = [new LineReader(), new CalendarScanner()];
  for (const line of lines.read(Buffer.from(text))) scanner.read(line);
  const last = lines.end();
  if (last !== undefined) scanner.read(last);
  return scanner.end();
}

/** The calendar in memory, which an import writes. */
interface Target {
  readonly calendar: Calendar;
  readonly events: Map<string, MemoryEvent>;
  readonly onWritten: () => void;
}

/**
 * Imports a text into a calendar in memory, by the functions that decide an import.
 *
 * @param zones - The zone of the calendar, or all zones that it has had.
 * @param before - What is in the calendar.
 */
export async function importInMemory(
  text: string,
  zones: string | readonly ZoneChange[] = "UTC",
  before: ReadonlyMap<string, MemoryEvent> = new Map(),
): Promise<MemoryImport> {
  const zoneChanges = typeof zones === "string" ? [{ version: 1, timezone: zones, since: 0 }] : zones;
  const calendar: Calendar = { guildId: "1" as GuildId, calendarNumber: 1, revision: 1, zoneChanges };
  const { events, zones: components, unreadable } = scanned(text);
  const ordered = orderEvents(events);
  const findings: Finding[] = [...unreadable, ...ordered.duplicates].map(({ reason }) => ["", reason]);
  const read = await readImport(
    { events: ordered.events.map(({ event }) => event.text), zones: [...components.values()] },
    calendar,
  );
  let writes = 0;
  const memory = new Map(
    [...before].map(([uid, { event, overrides }]) => [uid, { event, overrides: new Map(overrides) }]),
  );
  const target = { calendar, events: memory, onWritten: () => (writes += 1) };
  for (const [at, imported] of read.entries()) {
    const uid = ordered.events[at]?.event.uid ?? "";
    if (typeof imported === "string") findings.push([uid, imported]);
    else findings.push(...importOne(imported, read, target).map((reason) => [uid, reason] as const));
  }
  const views = (window: Window) =>
    [...memory.values()].flatMap((each) => viewsOf(each, window, calendar)).toSorted((a, b) => a.startsAt - b.startsAt);
  return {
    events: [...memory.values()].map(({ event }) => event),
    findings,
    writes,
    memory,
    views,
    starts: (window) => views(window).map(({ startsAt }) => startsAt),
  };
}

function importOne(
  imported: ImportedEvent,
  all: readonly (ImportedEvent | SkipReason)[],
  target: Target,
): readonly (SkipReason | ChangeReason)[] {
  const { uid, recurrenceId } = imported;
  const { calendar, events } = target;
  // As in our own feed, a UID may be the id of an event of the calendar, or of an occurrence.
  const own = parseEventId(uid);
  const mine = own && events.get(own.eventId);
  const isOwn = mine !== undefined && mine.event.uid === undefined;
  const known = isOwn ? mine : events.get(uid);
  const key = recurrenceId ?? (isOwn && own?.original !== undefined ? { original: own.original } : undefined);
  if (key !== undefined) {
    if (known?.event.recurring === undefined) return ["NO_SERIES"];
    return override(known, key, imported, target) ?? imported.changes;
  }
  if (imported.isCancelled) return ["CANCELLED"];
  const kept = all.flatMap((each) =>
    typeof each === "string" || each.uid !== uid || each.isCancelled ? [] : (each.recurrenceId ?? []),
  );
  const id = `e${String(events.size).padStart(25, "0")}` as EventId;
  const applied = applyEvent(imported, known?.event.id ?? id, { calendar, stored: known && stateOf(known), kept });
  if (typeof applied === "string") return [applied];
  const { event } = applied;
  const overrides = known?.overrides ?? new Map<EpochMs, Override>();
  if (applied.next !== undefined) {
    target.onWritten();
    const valid = new Set(validStarts(event, calendar, [...overrides.keys()]));
    for (const original of overrides.keys()) if (!valid.has(original)) overrides.delete(original);
  }
  const written = { event, overrides };
  events.set(uid, written);
  const keyOf = (at: EpochMs) => (imported.days === undefined ? { at } : { original: at });
  for (const at of applied.cancelled) override(written, keyOf(at), cancelledFields(imported), target);
  return applied.changes;
}

function stateOf({ event, overrides }: MemoryEvent) {
  const cancelled = [...overrides.values()].filter((each) => each.cancelled);
  const cancelledSeconds = new Set(cancelled.map(({ original }) => Math.floor(original / 1_000)));
  return { event: storedOf(event, overrides), cancelledSeconds };
}

function storedOf(event: CalendarEvent, { size }: MemoryEvent["overrides"]): StoredEvent {
  const stored = { ...event, scheduledAt: 0, coloredAt: 0 };
  if (event.recurring === undefined) return stored;
  return { ...stored, recurring: { ...event.recurring, hasOverrides: size > 0 } };
}

/** Adds an override; the reason if it cannot. */
function override(
  { event, overrides }: MemoryEvent,
  key: OccurrenceKey,
  fields: OccurrenceFields,
  { calendar, onWritten }: Target,
): SkipReason[] | undefined {
  const ruleOccurrence = occurrenceOf(seriesOf(event, calendar)!, key);
  if (ruleOccurrence === undefined) return ["UNKNOWN_OCCURRENCE"];
  const found: StoredOccurrence = {
    event: storedOf(event, overrides),
    ruleOccurrence,
    override: overrides.get(ruleOccurrence.original),
  };
  const applied = applyOccurrence(fields, found, calendar);
  if (typeof applied === "string") return [applied];
  if (applied === undefined) return undefined;
  onWritten();
  overrides.set(ruleOccurrence.original, applied.next.override);
  return undefined;
}

function viewsOf({ event, overrides }: MemoryEvent, window: Window, calendar: Calendar): EventView[] {
  const stored = storedOf(event, overrides);
  const series = seriesOf(event, calendar);
  const wide = { from: Math.max(0, window.from - 40 * 86_400_000), until: window.until + 40 * 86_400_000 };
  const all =
    series === undefined
      ? [singleOccurrence(stored, calendar)]
      : occurrencesStarting(series, wide, Infinity).flatMap(
          (each) => effectiveOccurrence(stored, each, overrides.get(each.original), calendar) ?? [],
        );
  return all
    .filter(({ startsAt }) => startsAt >= window.from && startsAt < window.until)
    .map((each) => occurrenceView(each));
}
