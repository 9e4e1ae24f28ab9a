import { describe, expect, test } from "@jest/globals";
import type { Announcement } from "../contracts/announcements.contract.ts";
import { MOST_ENTRIES } from "../contracts/calendar-events.contract.ts";
import type { Occurrence } from "../contracts/occurrences.contract.ts";
import { defaultSettings } from "../guild-settings/domain/guild-settings.ts";
import { HOUR, NOON, sampleAnnouncement, sampleOccurrence } from "./domain/dispatch-samples.ts";
import { previewOf } from "./preview.ts";
import type { Owners } from "./protocol/ports.ts";

/** Owners of these things; `limits` tells how many occurrences each question asked for. */
function ownersOf(announcement: Announcement | null, occurrences: readonly Occurrence[], limits: number[] = []) {
  const owners: Partial<Owners> = {
    announcement: async () => announcement,
    occurrence: async (_guild, id) => occurrences.find(({ occurrenceId }) => occurrenceId === id) ?? null,
    settings: async (guildId) => defaultSettings(guildId),
    async occurrences({ windows, limit }) {
      limits.push(limit);
      const ahead = occurrences.filter(({ startsAt }) => startsAt >= windows[0]!.from);
      return { occurrences: ahead.slice(0, limit), truncated: ahead.length > limit };
    },
  };
  return owners as Owners;
}

/** No sink knows the channel or the guild. */
const UNKNOWN_CHANNELS = { problemNow: async () => undefined, guildName: async () => undefined };
const asked = { guildId: sampleAnnouncement().guildId, id: "a1" };
const occurrenceAt = (startsAt: number, differs: object = {}) =>
  sampleOccurrence({ startsAt, occurrenceId: `e${startsAt}` as never, ...differs });
const past = occurrenceAt(NOON - HOUR);
const next = occurrenceAt(NOON);
const later = occurrenceAt(NOON + HOUR, { color: "RED" });

describe("a preview", () => {
  test("is of the next occurrence that is ahead, with its messages and its channel", async () => {
    const preview = await previewOf(ownersOf(sampleAnnouncement(), [past, next, later]), UNKNOWN_CHANNELS, asked, NOON);
    expect(preview).toMatchObject({ eventId: next.occurrenceId, startsAt: NOON, channel: "77" });
    expect(preview).toHaveProperty("messages.0.allowed_mentions.parse", []);
    expect(preview).toHaveProperty("messages.0.embeds.0.title", "Announcement");
  });

  test("is of one that the announcement covers, as if it were enabled", async () => {
    const red = sampleAnnouncement({ type: "COLOR", eventColor: "RED", enabled: false });
    const preview = await previewOf(ownersOf(red, [next, later]), UNKNOWN_CHANNELS, asked, NOON);
    expect(preview).toMatchObject({ eventId: later.occurrenceId });
  });

  test("is of a named occurrence, past or not covered, where one is named", async () => {
    const red = sampleAnnouncement({ type: "COLOR", eventColor: "RED" });
    const named = { ...asked, eventId: past.occurrenceId };
    await expect(previewOf(ownersOf(red, [past, later]), UNKNOWN_CHANNELS, named, NOON)).resolves.toMatchObject({
      startsAt: NOON - HOUR,
    });
  });

  test("is of the next occurrence of a named series", async () => {
    const ofSeries = occurrenceAt(NOON + 2 * HOUR, { eventId: "series", recurs: true });
    const named = { ...asked, eventId: "series" };
    const preview = await previewOf(ownersOf(sampleAnnouncement(), [next, ofSeries]), UNKNOWN_CHANNELS, named, NOON);
    expect(preview).toMatchObject({ eventId: ofSeries.occurrenceId });
  });

  test("looks further when what is soonest is not meant", async () => {
    const crowd = Array.from({ length: 100 }, (_, at) => occurrenceAt(NOON + at));
    const limits: number[] = [];
    const owners = ownersOf(sampleAnnouncement({ type: "COLOR", eventColor: "RED" }), [...crowd, later], limits);
    await expect(previewOf(owners, UNKNOWN_CHANNELS, asked, NOON)).resolves.toMatchObject({
      eventId: later.occurrenceId,
    });
    expect(limits).toEqual([100, MOST_ENTRIES]);
  });

  test("of an announcement that is not there, or of nothing that is ahead, is refused", async () => {
    await expect(previewOf(ownersOf(null, [next]), UNKNOWN_CHANNELS, asked, NOON)).resolves.toEqual({
      refusal: "ANNOUNCEMENT_NOT_FOUND",
    });
    const owners = ownersOf(sampleAnnouncement(), [past]);
    await expect(previewOf(owners, UNKNOWN_CHANNELS, asked, NOON)).resolves.toEqual({
      refusal: "EVENT_NOT_FOUND",
      message: "The announcement covers no event that is still ahead",
    });
    await expect(previewOf(owners, UNKNOWN_CHANNELS, { ...asked, eventId: "other" }, NOON)).resolves.toEqual({
      refusal: "EVENT_NOT_FOUND",
    });
  });
});
