import { describe, expect, test } from "@jest/globals";
import { changedTimesAt } from "./rescheduled.ts";
import { newEventId } from "./event-id.ts";

const MINUTE = 60_000;
const CREATED = 1_700_000_000_000;
const id = newEventId(CREATED, new Uint8Array(15));
const event = { id, createdAt: CREATED };
const part = { ...event, follows: [id] };

describe("the change of an event's times (D69)", () => {
  test("is the later one of its start and its end, from a minute after the creation on", () => {
    const at = CREATED + MINUTE;
    expect(changedTimesAt(event, { scheduledAt: CREATED })).toBeUndefined();
    expect(changedTimesAt(event, { scheduledAt: at - 1 })).toBeUndefined();
    expect(changedTimesAt(event, { scheduledAt: at })).toBe(at);
    expect(changedTimesAt(event, { scheduledAt: CREATED, endSetAt: at + 1 })).toBe(at + 1);
    expect(changedTimesAt(event, { scheduledAt: at + 2, endSetAt: at + 1 })).toBe(at + 2);
    expect(changedTimesAt(event, {})).toBeUndefined();
  });

  test("of an event without a stored creation counts from the time of its id", () => {
    expect(changedTimesAt({ id }, { scheduledAt: CREATED + MINUTE - 1 })).toBeUndefined();
    expect(changedTimesAt({ id }, { scheduledAt: CREATED + MINUTE })).toBe(CREATED + MINUTE);
  });

  test("of a split series is the split, if that gave it other times", () => {
    expect(changedTimesAt(part, { scheduledAt: CREATED - 1 })).toBeUndefined();
    expect(changedTimesAt(part, { scheduledAt: CREATED })).toBe(CREATED);
  });
});
