import { describe, expect, test } from "@jest/globals";
import type { EventId, OccurrenceId } from "../../../contracts/ids.ts";
import { covers } from "./covers.ts";
import { sampleAnnouncement, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";

const second = sampleOccurrence({ occurrenceId: "e1_2" as OccurrenceId, recurs: true, isFirst: false });

describe("an announcement (D23, D24)", () => {
  test("of type UNIVERSAL covers every occurrence", () => {
    expect(covers(sampleAnnouncement(), second)).toBe(true);
  });

  test("that is disabled covers nothing", () => {
    expect(covers(sampleAnnouncement({ enabled: false }), second)).toBe(false);
  });

  test("of type COLOR covers that color, and with NONE events without a color", () => {
    const red = sampleOccurrence({ color: "RED" });
    expect(covers(sampleAnnouncement({ type: "COLOR", eventColor: "RED" }), red)).toBe(true);
    expect(covers(sampleAnnouncement({ type: "COLOR", eventColor: "NONE" }), red)).toBe(false);
    expect(covers(sampleAnnouncement({ type: "COLOR", eventColor: "NONE" }), second)).toBe(true);
  });

  test("of type RECUR covers every occurrence of its series and no other", () => {
    expect(covers(sampleAnnouncement({ type: "RECUR", eventId: "e1" as EventId }), second)).toBe(true);
    expect(covers(sampleAnnouncement({ type: "RECUR", eventId: "e2" as EventId }), second)).toBe(false);
  });

  test("of type SPECIFIC covers one occurrence, and of a series the first", () => {
    const first = sampleOccurrence({ occurrenceId: "e1_1" as OccurrenceId, recurs: true });
    const onSeries = sampleAnnouncement({ type: "SPECIFIC", eventId: "e1" as EventId });
    expect([first, second].map((occurrence) => covers(onSeries, occurrence))).toEqual([true, false]);
    const onSecond = sampleAnnouncement({ type: "SPECIFIC", eventId: "e1_2" as OccurrenceId });
    expect([first, second].map((occurrence) => covers(onSecond, occurrence))).toEqual([false, true]);
  });

  test("that refers to a series or an occurrence covers it in the series that was split from it, but no other (D51)", () => {
    const follows = ["e0", "e1"] as EventId[];
    const part = {
      eventId: "e2" as EventId,
      occurrenceId: "e2_2" as OccurrenceId,
      recurs: true,
      isFirst: true,
      follows,
    };
    const occurrence = sampleOccurrence(part);
    const covering = (type: "RECUR" | "SPECIFIC", ids: string[]) =>
      ids.filter((eventId) => covers(sampleAnnouncement({ type, eventId: eventId as EventId }), occurrence));
    expect(covering("RECUR", ["e0", "e1", "e2", "e3"])).toEqual(["e0", "e1", "e2"]);
    expect(covering("SPECIFIC", ["e0", "e1", "e2", "e0_2", "e1_2", "e2_2", "e1_1", "e3_2"])).toEqual([
      "e2",
      "e0_2",
      "e1_2",
      "e2_2",
    ]);
    const single = sampleOccurrence({ ...part, occurrenceId: "e2" as OccurrenceId, recurs: false });
    expect(covers(sampleAnnouncement({ type: "SPECIFIC", eventId: "e1" as EventId }), single)).toBe(false);
  });
});
