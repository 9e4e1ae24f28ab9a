import { describe, expect, test } from "@jest/globals";
import type { AnnouncementId } from "../../../contracts/ids.ts";
import { HOUR, NOON, sampleAnnouncement, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";
import { onePlanned, plan, planned } from "../../../../test/fixtures/plan-samples.ts";

describe("a cancelled post", () => {
  test.each([
    ["the announcement was deleted", { announcements: [] }],
    ["the announcement was disabled", { announcements: [sampleAnnouncement({ enabled: false })] }],
    ["the event was deleted or moved out of reach", { occurrences: [] }],
    [
      "the announcement no longer covers the event",
      { announcements: [sampleAnnouncement({ type: "COLOR", eventColor: "RED" })] },
    ],
    [
      "the event got another color",
      {
        announcements: [sampleAnnouncement({ type: "COLOR", eventColor: "RED" })],
        occurrences: [sampleOccurrence({ color: "BLUE", coloredAt: NOON })],
      },
    ],
    ["the sink log is switched off", { sinks: ["webhook" as const] }],
    [
      "the announcement was re-timed",
      { announcements: [sampleAnnouncement({ hours: 100, standsSince: 0 })], from: NOON },
    ],
  ])("has the reason: %s", (reason, input) => {
    expect(plan({ ...input, existing: [onePlanned()] }).updates).toMatchObject([
      { to: { state: "cancelled", reason } },
    ]);
  });

  test.each([
    ["was deleted", [], "the announcement was deleted"],
    ["was disabled", [sampleAnnouncement({ hours: 100, enabled: false })], "the announcement was disabled"],
    ["has a shorter lead time", [sampleAnnouncement({ hours: 1 })], "the announcement was re-timed"],
  ])("far ahead, beyond the plan's occurrences, is cancelled because its announcement %s", (_, now, reason) => {
    const occurrences = [sampleOccurrence({ startsAt: NOON + 101 * HOUR })];
    const existing = planned({ announcements: [sampleAnnouncement({ hours: 100 })], occurrences });
    expect(existing).toMatchObject([{ state: "planned", dueAt: NOON + HOUR }]);
    const through = NOON + 48 * HOUR;
    const looked = { occurrences: [], windows: { START: [{ from: NOON - HOUR, until: through + HOUR }] } };
    expect(plan({ ...looked, announcements: now, existing }).updates).toMatchObject([
      { to: { state: "cancelled", reason } },
    ]);
    const other = sampleAnnouncement({ id: "a2" as AnnouncementId, hours: 100 });
    // Its occurrence is not read in a guild with a longer lead time: another plan reads it, unless it has no announcement.
    const isRead = now.some(({ enabled }) => !enabled) || now.length === 0;
    const changes = plan({ ...looked, announcements: [...now, other], existing });
    expect(changes.updates).toHaveLength(isRead ? 1 : 0);
  });
});
