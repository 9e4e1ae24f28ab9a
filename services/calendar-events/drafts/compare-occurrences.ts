import { isDeepStrictEqual } from "node:util";
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
  const known = byId(before);
  const same = new Set<OccurrenceId>();
  for (const occurrence of after) {
    const former = known.get(occurrence.occurrenceId);
    if (former !== undefined && isEqualIn(FIELDS, former, occurrence)) same.add(occurrence.occurrenceId);
    if (slices.isOver) await slices.rest();
  }
  const differs = ({ occurrenceId }: Occurrence) => !same.has(occurrenceId);
  const unchanged = after.filter(({ occurrenceId }) => same.has(occurrenceId));
  return { unchanged, before: before.filter(differs), after: after.filter(differs) };
}

/** The occurrences in both lists of which a field differs that posts may show. */
export function alteredIds(before: readonly Occurrence[], after: readonly Occurrence[]): OccurrenceId[] {
  const known = byId(before);
  return after.flatMap((occurrence) => {
    const former = known.get(occurrence.occurrenceId);
    return former === undefined || isEqualIn(SHOWN_FIELDS, former, occurrence) ? [] : occurrence.occurrenceId;
  });
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

const FIELDS = Object.keys(IS_SHOWN) as (keyof Occurrence)[];
const SHOWN_FIELDS = FIELDS.filter((name) => IS_SHOWN[name]);

const byId = (occurrences: readonly Occurrence[]) =>
  new Map(occurrences.map((occurrence) => [occurrence.occurrenceId, occurrence]));

function isEqualIn(fields: readonly (keyof Occurrence)[], one: Occurrence, other: Occurrence): boolean {
  return fields.every((name) => one[name] === other[name] || isDeepStrictEqual(one[name], other[name]));
}

const TEXTS: ReadonlySet<string> = new Set([...EVENT_TEXTS, "calendarName", "occurrenceNumber"]);
const isText = (name: string) => TEXTS.has(name);

/** The occurrence itself if it has none: most are read without texts. */
export function withoutTexts(occurrence: Occurrence): Occurrence {
  if (!Object.keys(occurrence).some(isText)) return occurrence;
  return Object.fromEntries(Object.entries(occurrence).filter(([name]) => !isText(name))) as unknown as Occurrence;
}
