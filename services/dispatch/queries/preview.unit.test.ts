import { describe, expect, test } from "@jest/globals";
import type { Announcement } from "../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import { defaultSettings } from "../../guild-settings/domain/guild-settings.ts";
import { HOUR, NOON, sampleAnnouncement, sampleOccurrence } from "../../../test/fixtures/dispatch-samples.ts";
import { renderPreview } from "./preview.ts";
import type { Owners } from "../protocol/ports.ts";

/** Owners of these things; `queries` records the queries with the lengths of their windows in hours. */
function ownersOf(announcement: Announcement | null, occurrences: readonly Occurrence[], queries: object[] = []) {
  const owners: Partial<Owners> = {
    announcement: async () => announcement,
    occurrence: async (_guild, id) => occurrences.find(({ occurrenceId }) => occurrenceId === id) ?? null,
    settings: async (guildId) => defaultSettings(guildId),
    async occurrences({ windows, limit, only: { color, eventId } = {} }) {
      const { from, until } = windows[0]!;
      queries.push({ hours: (until - from) / HOUR, limit, ...(color === undefined ? {} : { color }) });
      const ahead = occurrences.filter(
        (one) =>
          one.startsAt >= from &&
          one.startsAt < until &&
          (color === undefined || one.color === color) &&
          (eventId === undefined || one.eventId === eventId),
      );
      return { occurrences: ahead.slice(0, limit), truncated: ahead.length > limit };
    },
  };
  return owners as Owners;
}

/** Channel checks without sinks. */
const UNKNOWN_CHANNELS = { currentProblem: async () => undefined, guildName: async () => undefined };
const queries = { guildId: sampleAnnouncement().guildId, id: "a1" };
const ruleOccurrenceAt = (startsAt: number, differs: object = {}) =>
  sampleOccurrence({ startsAt, occurrenceId: `e${startsAt}` as never, ...differs });
const past = ruleOccurrenceAt(NOON - HOUR);
const next = ruleOccurrenceAt(NOON);
const later = ruleOccurrenceAt(NOON + HOUR, { color: "RED" });

describe("a preview", () => {
  test("has messages and channel of the next occurrence", async () => {
    const preview = await renderPreview(
      ownersOf(sampleAnnouncement(), [past, next, later]),
      UNKNOWN_CHANNELS,
      queries,
      NOON,
    );
    expect(preview).toMatchObject({ eventId: next.occurrenceId, startsAt: NOON, channel: "77" });
    expect(preview).toHaveProperty("messages.0.allowed_mentions.parse", []);
    expect(preview).toHaveProperty("messages.0.embeds.0.title", "Announcement");
  });

  test("shows a covered occurrence, as if the announcement were enabled", async () => {
    const red = sampleAnnouncement({ type: "COLOR", eventColor: "RED", enabled: false });
    const preview = await renderPreview(ownersOf(red, [next, later]), UNKNOWN_CHANNELS, queries, NOON);
    expect(preview).toMatchObject({ eventId: later.occurrenceId });
  });

  test("shows the named occurrence, even if it is past or not covered", async () => {
    const red = sampleAnnouncement({ type: "COLOR", eventColor: "RED" });
    const named = { ...queries, eventId: past.occurrenceId };
    await expect(renderPreview(ownersOf(red, [past, later]), UNKNOWN_CHANNELS, named, NOON)).resolves.toMatchObject({
      startsAt: NOON - HOUR,
    });
  });

  test("shows the next occurrence of a named series", async () => {
    const ofSeries = ruleOccurrenceAt(NOON + 2 * HOUR, { eventId: "series", recurs: true });
    const named = { ...queries, eventId: "series" };
    const preview = await renderPreview(
      ownersOf(sampleAnnouncement(), [next, ofSeries]),
      UNKNOWN_CHANNELS,
      named,
      NOON,
    );
    expect(preview).toMatchObject({ eventId: ofSeries.occurrenceId });
  });

  test("searches the next hour for a covered occurrence, then longer ranges", async () => {
    const inTenDays = ruleOccurrenceAt(NOON + 240 * HOUR, { color: "RED" });
    const reads: object[] = [];
    const owners = ownersOf(sampleAnnouncement({ type: "COLOR", eventColor: "RED" }), [next, inTenDays], reads);
    await expect(renderPreview(owners, UNKNOWN_CHANNELS, queries, NOON)).resolves.toMatchObject({
      eventId: inTenDays.occurrenceId,
    });
    expect(reads).toEqual([1, 32 * 24 - 1].map((hours) => ({ hours, limit: 1, color: "RED" })));
    reads.length = 0;
    await renderPreview(ownersOf(sampleAnnouncement(), [next], reads), UNKNOWN_CHANNELS, queries, NOON);
    expect(reads).toEqual([{ hours: 1, limit: 1 }]);
  });

  test("shows the first occurrence of a series for SPECIFIC, and the next one for RECUR (D24)", async () => {
    const second = ruleOccurrenceAt(NOON, { eventId: "series", isFirst: false, recurs: true });
    const first = ruleOccurrenceAt(NOON + HOUR, { eventId: "series", isFirst: true, recurs: true });
    const previewed = (type: "SPECIFIC" | "RECUR") => {
      const owners = ownersOf(sampleAnnouncement({ type, eventId: "series" as never }), [next, second, first]);
      return renderPreview(owners, UNKNOWN_CHANNELS, queries, NOON);
    };
    await expect(previewed("SPECIFIC")).resolves.toMatchObject({ eventId: first.occurrenceId });
    await expect(previewed("RECUR")).resolves.toMatchObject({ eventId: second.occurrenceId });
  });

  test("is refused for an unknown announcement, and if no occurrence is ahead", async () => {
    await expect(renderPreview(ownersOf(null, [next]), UNKNOWN_CHANNELS, queries, NOON)).resolves.toEqual({
      refusal: "ANNOUNCEMENT_NOT_FOUND",
    });
    const owners = ownersOf(sampleAnnouncement(), [past]);
    await expect(renderPreview(owners, UNKNOWN_CHANNELS, queries, NOON)).resolves.toEqual({
      refusal: "EVENT_NOT_FOUND",
      message: "The announcement covers no event that is still ahead",
    });
    await expect(renderPreview(owners, UNKNOWN_CHANNELS, { ...queries, eventId: "other" }, NOON)).resolves.toEqual({
      refusal: "EVENT_NOT_FOUND",
    });
  });
});
