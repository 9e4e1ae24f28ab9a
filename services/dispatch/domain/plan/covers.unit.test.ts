import { describe, expect, test } from "@jest/globals";
import type { EventId, OccurrenceId } from "../../../contracts/ids.ts";
import { covers } from "./covers.ts";
import { sampleAnnouncement, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";

const second = sampleOccurrence({ occurrenceId: "e1_2" as OccurrenceId, recurs: true, isFirst: false });

describe("what an announcement is for (D23, D24)", () => {
  test("UNIVERSAL is for everything", () => {
    expect(covers(sampleAnnouncement(), second)).toBe(true);
  });

  test("a disabled one is for nothing", () => {
    expect(covers(sampleAnnouncement({ enabled: false }), second)).toBe(false);
  });

  test("COLOR is for that colour, and NONE for events without one", () => {
    const red = sampleOccurrence({ color: "RED" });
    expect(covers(sampleAnnouncement({ type: "COLOR", eventColor: "RED" }), red)).toBe(true);
    expect(covers(sampleAnnouncement({ type: "COLOR", eventColor: "NONE" }), red)).toBe(false);
    expect(covers(sampleAnnouncement({ type: "COLOR", eventColor: "NONE" }), second)).toBe(true);
  });

  test("RECUR is for every occurrence of its series and of no other", () => {
    expect(covers(sampleAnnouncement({ type: "RECUR", eventId: "e1" as EventId }), second)).toBe(true);
    expect(covers(sampleAnnouncement({ type: "RECUR", eventId: "e2" as EventId }), second)).toBe(false);
  });

  test("SPECIFIC is for one occurrence, and on a series for its first", () => {
    const first = sampleOccurrence({ occurrenceId: "e1_1" as OccurrenceId, recurs: true });
    const onSeries = sampleAnnouncement({ type: "SPECIFIC", eventId: "e1" as EventId });
    expect([first, second].map((occurrence) => covers(onSeries, occurrence))).toEqual([true, false]);
    const onSecond = sampleAnnouncement({ type: "SPECIFIC", eventId: "e1_2" as OccurrenceId });
    expect([first, second].map((occurrence) => covers(onSecond, occurrence))).toEqual([false, true]);
  });
});
