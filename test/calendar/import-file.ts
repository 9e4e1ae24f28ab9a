import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CalendarScanner, type ScannedCalendar } from "../../services/api/imports/calendar-scanner.ts";
import { orderEvents } from "../../services/api/imports/import-batches.ts";
import { LineReader } from "../../services/api/imports/line-reader.ts";
import type { Calendar } from "../../services/calendar-events/domain/calendar/calendar.ts";
import { cancelledFields } from "../../services/calendar-events/import/import-occurrence.ts";
import { readImport } from "../../services/calendar-events/import/read-import.ts";
import { effectiveOccurrence } from "../../services/calendar-events/domain/event/effective-occurrence.ts";
import { type CalendarEvent, seriesOf } from "../../services/calendar-events/domain/event/event.ts";
import type { Override } from "../../services/calendar-events/domain/event/override.ts";
import { applyEvent } from "../../services/calendar-events/domain/import/apply-event.ts";
import {
  applyOccurrence,
  type StoredOccurrence,
} from "../../services/calendar-events/domain/import/apply-occurrence.ts";
import type { ImportedEvent } from "../../services/calendar-events/domain/import/imported-event.ts";
import { occurrencesStarting } from "../../services/calendar-events/domain/recurrence/occurrences.ts";
import type { ChangeReason, SkipReason } from "../../services/contracts/event-import.contract.ts";
import type { EpochMs, EventId, GuildId } from "../../services/contracts/ids.ts";
import type { Window } from "../../services/contracts/window.ts";
import { PROJECT } from "../harness/guildcal-process.ts";

/** A file of test/fixtures/ics with the line breaks of iCalendar. */
export function calendarFile(name: string): string {
  return readFileSync(join(PROJECT, "test/fixtures/ics", name), "utf8").replaceAll("\n", "\r\n");
}

/** An event with the overrides of its occurrences. */
interface MemoryEvent {
  readonly event: CalendarEvent;
  readonly overrides: Map<EpochMs, Override>;
}

/** A VEVENT that was skipped or changed, by its UID. */
type Finding = readonly [uid: string, reason: SkipReason | ChangeReason];

export interface MemoryImport {
  readonly events: readonly CalendarEvent[];
  readonly findings: readonly Finding[];
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

/** Imports a text into a calendar in memory, by the functions that decide an import. */
export async function importInMemory(text: string, timezone = "UTC"): Promise<MemoryImport> {
  const guildId = "1" as GuildId;
  const calendar: Calendar = {
    guildId,
    calendarNumber: 1,
    revision: 1,
    zoneChanges: [{ version: 1, timezone, since: 0 }],
  };
  const { events, zones, unreadable } = scanned(text);
  const ordered = orderEvents(events);
  const findings: Finding[] = [...unreadable, ...ordered.duplicates].map(({ reason }) => ["", reason]);
  const read = await readImport(
    { events: ordered.events.map(({ event }) => event.text), zones: [...zones.values()] },
    calendar,
  );
  const byUid = new Map<string, MemoryEvent>();
  for (const [at, imported] of read.entries()) {
    const uid = ordered.events[at]?.event.uid ?? "";
    if (typeof imported === "string") findings.push([uid, imported]);
    else findings.push(...importOne(imported, byUid, read, calendar).map((reason) => [uid, reason] as const));
  }
  return {
    events: [...byUid.values()].map(({ event }) => event),
    findings,
    starts: (window) =>
      [...byUid.values()].flatMap((each) => startsOf(each, window, calendar)).toSorted((a, b) => a - b),
  };
}

function importOne(
  imported: ImportedEvent,
  byUid: Map<string, MemoryEvent>,
  all: readonly (ImportedEvent | SkipReason)[],
  calendar: Calendar,
): readonly (SkipReason | ChangeReason)[] {
  const { uid, recurrenceId } = imported;
  const known = byUid.get(uid);
  if (recurrenceId !== undefined) {
    if (known?.event.recurring === undefined) return ["NO_SERIES"];
    return override(known, recurrenceId, imported, calendar) ?? imported.changes;
  }
  if (imported.isCancelled) return ["CANCELLED"];
  const kept = all.flatMap((each) =>
    typeof each === "string" || each.uid !== uid || each.isCancelled ? [] : (each.recurrenceId ?? []),
  );
  const id = `e${String(byUid.size).padStart(25, "0")}` as EventId;
  const applied = applyEvent(imported, id, { calendar, stored: undefined, kept: new Set(kept) });
  if (typeof applied === "string") return [applied];
  const event = { event: applied.event, overrides: new Map<EpochMs, Override>() };
  byUid.set(uid, event);
  for (const at of applied.cancelled) override(event, at, cancelledFields(imported), calendar);
  return applied.changes;
}

/** Adds an override; the reason if it cannot. */
function override(
  { event, overrides }: MemoryEvent,
  at: EpochMs,
  fields: Parameters<typeof applyOccurrence>[0],
  calendar: Calendar,
): SkipReason[] | undefined {
  const stored = { ...event, scheduledAt: 0, coloredAt: 0 };
  const ruleOccurrence = occurrencesStarting(seriesOf(event, calendar)!, { from: at, until: at + 1_000 }, 1)[0];
  if (ruleOccurrence === undefined) return ["UNKNOWN_OCCURRENCE"];
  const found: StoredOccurrence = { event: stored, ruleOccurrence, override: overrides.get(ruleOccurrence.original) };
  const applied = applyOccurrence(fields, found, calendar);
  if (typeof applied === "string") return [applied];
  if (applied !== undefined) overrides.set(ruleOccurrence.original, applied.next.override);
  return undefined;
}

function startsOf({ event, overrides }: MemoryEvent, window: Window, calendar: Calendar): number[] {
  const isIn = (start: number) => start >= window.from && start < window.until;
  const series = seriesOf(event, calendar);
  if (series === undefined) return isIn(event.startsAt) ? [event.startsAt] : [];
  const stored = { ...event, scheduledAt: 0, coloredAt: 0 };
  const wide = { from: Math.max(0, window.from - 40 * 86_400_000), until: window.until + 40 * 86_400_000 };
  return occurrencesStarting(series, wide, Infinity).flatMap((each) => {
    const effective = effectiveOccurrence(stored, each, overrides.get(each.original), calendar);
    return effective !== undefined && isIn(effective.startsAt) ? [effective.startsAt] : [];
  });
}
