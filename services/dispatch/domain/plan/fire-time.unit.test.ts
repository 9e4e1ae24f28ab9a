import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  HOUR,
  MINUTE,
  NOON,
  sampleAnnouncement,
  sampleOccurrence,
} from "../../../../test/fixtures/dispatch-samples.ts";
import { fireTime } from "./fire-time.ts";
import { leadMs } from "./offsets.ts";

const GRACE = 15 * MINUTE;

describe("an announcement (D30, D31)", () => {
  test("is due one lead time before the start, and may be late by the grace time", () => {
    const announcement = sampleAnnouncement({ hours: 1, minutes: 30 });
    expect(fireTime(announcement, undefined, sampleOccurrence({ startsAt: NOON }), GRACE)).toEqual({
      kind: "due",
      dueAt: NOON - 90 * MINUTE,
      deadline: NOON - 75 * MINUTE,
    });
  });

  test("has its deadline at the end of the event at the latest", () => {
    const short = sampleOccurrence({ startsAt: NOON, endsAt: NOON + 5 * MINUTE });
    expect(fireTime(sampleAnnouncement(), undefined, short, GRACE)).toMatchObject({ deadline: NOON + 5 * MINUTE });
  });

  test("of an event without length has its deadline one minute after the start at the latest", () => {
    const instant = sampleOccurrence({ startsAt: NOON, endsAt: NOON });
    expect(fireTime(sampleAnnouncement(), undefined, instant, GRACE)).toMatchObject({
      dueAt: NOON,
      deadline: NOON + MINUTE,
    });
  });

  test("is due at once if the event was created or moved after the due instant of an existing announcement", () => {
    const late = sampleOccurrence({ startsAt: NOON, scheduledAt: NOON - 10 * MINUTE });
    const announcement = sampleAnnouncement({ hours: 1, standsSince: NOON - 20 * MINUTE });
    expect(fireTime(announcement, undefined, late, GRACE)).toMatchObject({ kind: "due", dueAt: NOON - 10 * MINUTE });
  });

  test("is skipped if the event was created or moved after its own start", () => {
    const past = sampleOccurrence({ startsAt: NOON, scheduledAt: NOON });
    expect(fireTime(sampleAnnouncement(), undefined, past, GRACE)).toMatchObject({ kind: "skipped", dueAt: NOON });
  });

  test("is skipped if it was created, enabled or re-timed after the due instant", () => {
    const announcement = sampleAnnouncement({ hours: 1, standsSince: NOON - 59 * MINUTE });
    const occurrence = sampleOccurrence({ startsAt: NOON });
    expect(fireTime(announcement, undefined, occurrence, GRACE)).toMatchObject({ kind: "skipped" });
    const intime = { ...announcement, standsSince: NOON - HOUR };
    expect(fireTime(intime, undefined, occurrence, GRACE)).toMatchObject({ kind: "due" });
  });

  test("was never due for an occurrence that had started before the announcement was created", () => {
    const announcement = sampleAnnouncement({ standsSince: NOON + 1 });
    expect(fireTime(announcement, undefined, sampleOccurrence({ startsAt: NOON }), GRACE)).toBeUndefined();
  });

  test("of type COLOR, and of no other type, is skipped if the event got its color after the due instant", () => {
    const red = sampleOccurrence({ startsAt: NOON, color: "RED", coloredAt: NOON - 30 * MINUTE });
    const byColor = sampleAnnouncement({ type: "COLOR", eventColor: "RED", hours: 1 });
    expect(fireTime(byColor, undefined, red, GRACE)).toMatchObject({ kind: "skipped" });
    expect(fireTime({ ...byColor, type: "UNIVERSAL" }, undefined, red, GRACE)).toMatchObject({ kind: "due" });
  });

  test("is never due before start − lead or after the start, and always before its deadline", () => {
    const instant = fc.integer({ min: 0, max: 1_000 }).map((minutes) => minutes * MINUTE);
    fc.assert(
      fc.property(
        instant,
        instant,
        instant,
        fc.nat(500),
        fc.nat(120),
        (start, scheduledAt, standsSince, minutes, long) => {
          const announcement = sampleAnnouncement({ minutes, standsSince });
          const occurrence = sampleOccurrence({ startsAt: start, endsAt: start + long * MINUTE, scheduledAt });
          const time = fireTime(announcement, undefined, occurrence, GRACE);
          if (time?.kind !== "due") return;
          expect(time.dueAt).toBeGreaterThanOrEqual(start - leadMs(announcement));
          expect(time.dueAt).toBeLessThanOrEqual(start);
          expect(time.dueAt).toBeGreaterThanOrEqual(standsSince);
          expect(time.deadline).toBeGreaterThan(time.dueAt);
          expect(time.deadline).toBeLessThanOrEqual(time.dueAt + GRACE);
        },
      ),
    );
  });
});
