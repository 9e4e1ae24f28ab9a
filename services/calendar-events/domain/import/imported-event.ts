import type { Color, EventTexts } from "../../../contracts/calendar-events.contract.ts";
import type { ChangeReason, SkipReason } from "../../../contracts/event-import.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Zone } from "../calendar/zone.ts";
import type { Times } from "../event/window.ts";
import { localToInstant } from "../calendar/local-to-instant.ts";
import { readDateValue } from "./date-value.ts";
import { type ImportedStart, readInstants, readStart, readTimes, type ZoneFinder } from "./imported-times.ts";
import { readTexts } from "./imported-texts.ts";
import { type Property, readProperties } from "./property.ts";

/** The dates of a series as a VEVENT has them. */
export interface ImportedDates {
  /** Without a text: RDATEs alone. */
  readonly rrule: string | undefined;
  readonly exDates: readonly EpochMs[];
  readonly rDates: readonly EpochMs[];
}

/** A VEVENT, read. */
export interface ImportedEvent extends Times {
  readonly uid: string;
  /** The instant of RECURRENCE-ID, for an occurrence of a series. */
  readonly recurrenceId: EpochMs | undefined;
  readonly isCancelled: boolean;
  readonly start: ImportedStart;
  /** The zone of the series' wall clock. */
  readonly zone: Zone;
  readonly texts: EventTexts;
  readonly color: Color | undefined;
  /** Undefined for a single event and for an occurrence. */
  readonly dates: ImportedDates | undefined;
  readonly changes: readonly ChangeReason[];
}

/** Parses a VEVENT: its content lines, unfolded, which a line feed separates. */
export function readEvent(text: string, calendarZone: Zone, find: ZoneFinder): ImportedEvent | SkipReason {
  const properties = readProperties(text);
  const first = (name: string) => properties.find((property) => property.name === name);
  const uid = first("UID")?.value.trim();
  if (uid === undefined || uid === "") return "NO_UID";
  const start = readStart(first("DTSTART"), calendarZone, find);
  if (typeof start === "string") return start;
  const times = readTimes(start, { end: first("DTEND"), duration: first("DURATION") }, find);
  if (typeof times === "string") return times;
  const recurrenceId = readRecurrenceId(first("RECURRENCE-ID"), start, calendarZone, find);
  if (typeof recurrenceId === "string") return recurrenceId;
  const dates = recurrenceId === undefined ? readDates(properties, start, find) : undefined;
  if (typeof dates === "string") return dates;
  const { texts, color, changes } = readTexts(properties);
  return {
    uid,
    recurrenceId,
    isCancelled: first("STATUS")?.value.trim().toUpperCase() === "CANCELLED",
    ...times,
    start,
    zone: start.zone,
    texts,
    color,
    dates,
    changes: [...changes, ...(start.isZoneByRules ? (["ZONE_BY_RULES"] as const) : [])],
  };
}

/** A date is an occurrence of a series of dates, from midnight on, also if this one has times (RFC 5545, section 3.8.4.4). */
function readRecurrenceId(
  property: Property | undefined,
  start: ImportedStart,
  calendarZone: Zone,
  find: ZoneFinder,
): EpochMs | undefined | SkipReason {
  if (property === undefined) return undefined;
  if (property.params.has("RANGE")) return "RANGE_NOT_SUPPORTED";
  const value = readDateValue(property.value);
  if (value?.kind === "date") return localToInstant(value.wall, calendarZone);
  return readInstants(property, start, find)?.[0] ?? "INVALID_TIME";
}

/** The dates of a series; undefined for a single event. */
function readDates(
  properties: readonly Property[],
  start: ImportedStart,
  find: ZoneFinder,
): ImportedDates | undefined | SkipReason {
  const valuesOf = (name: string) => properties.filter((property) => property.name === name);
  const rules = valuesOf("RRULE");
  if (rules.length > 1 || valuesOf("EXRULE").length > 0) return "RULE_NOT_SUPPORTED";
  const [exDates, rDates] = ["EXDATE", "RDATE"].map((name) => {
    const read = valuesOf(name).map((property) => readInstants(property, start, find));
    return read.includes(undefined) ? undefined : read.flatMap((instants) => instants ?? []);
  });
  if (exDates === undefined || rDates === undefined) return "INVALID_TIME";
  const rrule = rules[0]?.value.trim().replace(/;+$/, "");
  return rrule === undefined && rDates.length === 0 ? undefined : { rrule, exDates, rDates };
}
