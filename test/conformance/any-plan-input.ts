import fc from "fast-check";
import type { Announcement } from "../../services/contracts/announcements.contract.ts";
import type { EventId } from "../../services/contracts/ids.ts";
import type { Occurrence } from "../../services/contracts/occurrences.contract.ts";
import { MINUTE, NOON, sampleAnnouncement, sampleOccurrence } from "../fixtures/dispatch-samples.ts";

function minutes(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min, max }).map((value) => NOON + value * MINUTE);
}

const anyAnnouncement = fc
  .record({
    id: fc.constantFrom("a1", "a2"),
    type: fc.constantFrom("UNIVERSAL", "COLOR", "SPECIFIC", "RECUR"),
    eventId: fc.constantFrom("e1", "e2"),
    eventColor: fc.constantFrom("RED", "NONE"),
    minutes: fc.constantFrom(0, 5, 60, 3_000),
    enabled: fc.boolean(),
    standsSince: minutes(-100, 20),
  })
  .map((fields) => sampleAnnouncement(fields as Partial<Announcement>));
const anyOccurrence = fc
  .record({
    occurrenceId: fc.constantFrom("e1", "e2", "e2_1"),
    startsAt: minutes(-60, 4_000),
    scheduledAt: minutes(-100, 30),
    color: fc.constantFrom("RED", "NONE"),
    isFirst: fc.boolean(),
  })
  .map((fields) =>
    sampleOccurrence({ ...fields, eventId: fields.occurrenceId.slice(0, 2) as EventId } as Partial<Occurrence>),
  );
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
