import { EVENT_TEXTS } from "../../contracts/calendar-events.contract.ts";
import type { OccurrenceId } from "../../contracts/ids.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { DraftedOccurrences } from "../../contracts/owner-drafts.contract.ts";
import { TimeSlice } from "../../../mixins/async/time-slice.ts";

/** Separates the occurrences that are the same before and after. */
export async function partition(
  before: readonly Occurrence[],
  after: readonly Occurrence[],
): Promise<Pick<DraftedOccurrences, "unchanged" | "before" | "after">> {
  const slices = new TimeSlice();
  const keys = new Map<OccurrenceId, string>();
  for (const occurrence of before) {
    keys.set(occurrence.occurrenceId, keyOf(occurrence));
    if (slices.isOver) await slices.rest();
  }
  const same = new Set<OccurrenceId>();
  for (const occurrence of after) {
    if (keys.get(occurrence.occurrenceId) === keyOf(occurrence)) same.add(occurrence.occurrenceId);
    if (slices.isOver) await slices.rest();
  }
  const differs = ({ occurrenceId }: Occurrence) => !same.has(occurrenceId);
  const unchanged = after.filter(({ occurrenceId }) => same.has(occurrenceId));
  return { unchanged, before: before.filter(differs), after: after.filter(differs) };
}

/** The occurrences in both lists of which a field differs that posts may show. */
export function alteredIds(before: readonly Occurrence[], after: readonly Occurrence[]): OccurrenceId[] {
  const keys = new Map(before.map((occurrence) => [occurrence.occurrenceId, shownKey(occurrence)]));
  const known = after.filter(({ occurrenceId }) => keys.has(occurrenceId));
  return known
    .filter((occurrence) => keys.get(occurrence.occurrenceId) !== shownKey(occurrence))
    .map(({ occurrenceId }) => occurrenceId);
}

/** Whether posts may show the field: not if it says when, or by which request, the occurrence was set. */
const IS_SHOWN: Readonly<Record<keyof Occurrence, boolean>> = {
  occurrenceId: true,
  eventId: true,
  follows: false,
  calendarNumber: true,
  // Few templates show the name of the calendar or the number of the occurrence (D61).
  calendarName: false,
  occurrenceNumber: false,
  timezone: true,
  startsAt: true,
  endsAt: true,
  allDay: true,
  startDate: true,
  endDate: true,
  name: true,
  description: true,
  location: true,
  image: true,
  color: true,
  recurs: true,
  isFirst: true,
  scheduledAt: false,
  endSetAt: false,
  coloredAt: false,
  createdAt: false,
  rescheduledAt: false,
  eventPausedUntil: false,
  calendarPausedUntil: false,
  holidays: false,
  until: true,
  digest: true,
  changedBy: false,
};

function shownKey(occurrence: Occurrence): string {
  return keyOf(fieldsOf(occurrence, (name) => IS_SHOWN[name]));
}

function fieldsOf(occurrence: Occurrence, isWanted: (name: keyof Occurrence) => boolean): Partial<Occurrence> {
  return Object.fromEntries(Object.entries(occurrence).filter(([name]) => isWanted(name as keyof Occurrence)));
}

function keyOf(record: object): string {
  return JSON.stringify(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function withoutTexts(occurrence: Occurrence): Occurrence {
  const texts = new Set<string>([...EVENT_TEXTS, "calendarName", "occurrenceNumber"]);
  return fieldsOf(occurrence, (name) => !texts.has(name)) as Occurrence;
}
