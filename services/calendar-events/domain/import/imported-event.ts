import type { Color, EventTexts } from "../../../contracts/calendar-events.contract.ts";
import type { ChangeReason, SkipReason } from "../../../contracts/event-import.contract.ts";
import type { Zone } from "../calendar/zone.ts";
import { isMidnight, midnightAround } from "../calendar/days.ts";
import { DAY_MS } from "../recurrence/civil-days.ts";
import type { ImportedInstant } from "./imported-instant.ts";
import {
  hasOtherPeriod,
  type ImportedStart,
  type ImportedTimes,
  readInstants,
  readStart,
  readTimes,
  timesInZone,
  type ZoneFinder,
} from "./imported-times.ts";
import { readTexts } from "./imported-texts.ts";
import { type Property, readProperties } from "./property.ts";

/** The dates of a series as a VEVENT has them. */
export interface ImportedDates {
  /** Without a text: RDATEs alone. */
  readonly rrule: string | undefined;
  readonly exDates: readonly ImportedInstant[];
  readonly rDates: readonly ImportedInstant[];
}

/** A VEVENT, read. */
export interface ImportedEvent extends ImportedTimes {
  readonly uid: string;
  /** For an occurrence of a series, which may have times although its series has dates, and the reverse. */
  readonly recurrenceId: ImportedInstant | undefined;
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
  const recurrenceId = readRecurrenceId(first("RECURRENCE-ID"), start, find);
  if (typeof recurrenceId === "string") return recurrenceId;
  const dates = recurrenceId === undefined ? readDates(properties, start, find) : undefined;
  if (typeof dates === "string") return dates;
  const { texts, color, changes } = readTexts(properties);
  const hasPeriod =
    dates !== undefined &&
    properties.some((property) => property.name === "RDATE" && hasOtherPeriod(property, { start, times }, find));
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
    changes: [
      ...changes,
      ...(start.isZoneByRules ? (["ZONE_BY_RULES"] as const) : []),
      ...(hasPeriod ? (["PERIOD_REPLACED"] as const) : []),
    ],
  };
}

/** An all-day event with the times of its dates in a zone; any other event as it is. */
export function inZone(event: ImportedEvent, zone: Zone): ImportedEvent {
  if (event.days === undefined || event.zone === zone) return event;
  const times = timesInZone(event.days, zone);
  return { ...event, ...times, zone, start: { ...event.start, zone, at: times.startsAt } };
}

function readRecurrenceId(
  property: Property | undefined,
  start: ImportedStart,
  find: ZoneFinder,
): ImportedInstant | undefined | SkipReason {
  if (property === undefined) return undefined;
  if (property.params.has("RANGE")) return "RANGE_NOT_SUPPORTED";
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
    if (read.includes(undefined)) return undefined;
    const instants = read.flatMap((some) => some ?? []);
    return start.value.kind === "date" ? instants.map((instant) => midnightAsDay(instant, start.zone)) : instants;
  });
  if (exDates === undefined || rDates === undefined) return "INVALID_TIME";
  const rrule = rules[0]?.value.trim().replace(/;+$/, "");
  return rrule === undefined && rDates.length === 0 ? undefined : { rrule, exDates, rDates };
}

/** Some programs write the dates of all-day series as midnights. */
function midnightAsDay(instant: ImportedInstant, zone: Zone): ImportedInstant {
  if (!("at" in instant) || !isMidnight(instant.at, zone)) return instant;
  return { day: midnightAround(instant.at, zone) / DAY_MS };
}
