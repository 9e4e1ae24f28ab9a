import fc from "fast-check";
import type { Announcement } from "../../services/contracts/announcements.contract.ts";
import type { PostOffset } from "../../services/contracts/announcement-offsets.ts";
import type { EventId } from "../../services/contracts/ids.ts";
import type { Occurrence } from "../../services/contracts/occurrences.contract.ts";
import { MINUTE, NOON, sampleAnnouncement, sampleOccurrence } from "../fixtures/dispatch-samples.ts";

function minutes(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min, max }).map((value) => NOON + value * MINUTE);
}

/** Offsets from every anchor, before, at and after it; some of an event of an hour are due at the same instant. */
const OFFSETS: readonly PostOffset[] = [
  { anchor: "START", minutes: -60 },
  { anchor: "START", minutes: -5 },
  { anchor: "START", minutes: 60 },
  { anchor: "END", minutes: -5 },
  { anchor: "END", minutes: 0 },
  { anchor: "END", minutes: 30 },
  { anchor: "CREATED", minutes: 0 },
  { anchor: "CREATED", minutes: 60 },
  { anchor: "CHANGED", minutes: 0 },
];
/** Of an announcement: some offsets, or none, and then it has a lead time. */
const anyOffsets = fc
  .subarray([...OFFSETS])
  .map((offsets): Pick<Announcement, "offsets"> => (offsets.length === 0 ? {} : { offsets }));
export const anyAnnouncement = fc
  .record({
    id: fc.constantFrom("a1", "a2"),
    type: fc.constantFrom("UNIVERSAL", "COLOR", "SPECIFIC", "RECUR"),
    eventId: fc.constantFrom("e1", "e2"),
    eventColor: fc.constantFrom("RED", "NONE"),
    minutes: fc.constantFrom(0, 5, 60, 3_000),
    enabled: fc.boolean(),
    standsSince: minutes(-100, 20),
    times: anyOffsets,
  })
  .map(({ times, ...fields }) => sampleAnnouncement({ ...fields, ...times } as Partial<Announcement>));
export const anyOccurrence = fc
  .record({
    occurrenceId: fc.constantFrom("e1", "e2", "e2_1"),
    startsAt: minutes(-60, 4_000),
    length: fc.constantFrom(0, 5, 60, 500),
    scheduledAt: minutes(-100, 30),
    endSetAt: minutes(-100, 30),
    createdAt: minutes(-200, 0),
    rescheduledAt: fc.option(minutes(-100, 30), { nil: undefined }),
    color: fc.constantFrom("RED", "NONE"),
    isFirst: fc.boolean(),
    recurs: fc.boolean(),
  })
  .map(({ length, createdAt, rescheduledAt, ...fields }) => {
    const eventId = fields.occurrenceId.slice(0, 2) as EventId;
    const stamps = { ...(fields.isFirst && { createdAt }), ...(rescheduledAt !== undefined && { rescheduledAt }) };
    const endsAt = fields.startsAt + length * MINUTE;
    return sampleOccurrence({ ...fields, ...stamps, endsAt, eventId } as Partial<Occurrence>);
  });
function unique<Item>(item: fc.Arbitrary<Item>, id: (item: Item) => string): fc.Arbitrary<Item[]> {
  return fc.uniqueArray(item, { selector: id, maxLength: 4 });
}

/** Successive states of a guild's announcements and events within half an hour. */
export const planInputs = fc.array(
  fc.record({
    announcements: unique(anyAnnouncement, ({ id }) => id),
    occurrences: unique(anyOccurrence, ({ occurrenceId }) => occurrenceId),
    now: minutes(0, 30),
  }),
  { minLength: 1, maxLength: 5 },
);
