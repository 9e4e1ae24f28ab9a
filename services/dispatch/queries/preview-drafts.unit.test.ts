import { beforeEach, describe, expect, test } from "@jest/globals";
import { MemoryGuild } from "../../../test/doubles/memory-guild.ts";
import { draftAnnouncementId, type DraftChange, draftEventId } from "../../contracts/draft-changes.contract.ts";
import type { PreviewDraftsParams } from "../../contracts/plan-diff.contract.ts";
import { draftGuild } from "./drafted-guild.ts";
import { renderDraftPreviews } from "./preview-drafts.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2030, 0, 1);
const PROBLEM = { code: "CHANNEL_UNKNOWN", message: "no such channel" } as const;

const event = {
  action: "CREATE_EVENT",
  calendarNumber: 1,
  name: "Raid",
  startsAt: NOW + DAY,
  endsAt: NOW + DAY,
} as const;
const series = { ...event, name: "Weekly", recurs: true, recurrence: { frequency: "WEEKLY" } } as const;
const rule = {
  action: "CREATE_ANNOUNCEMENT",
  channel: "7",
  type: "UNIVERSAL",
  hours: 0,
  minutes: 0,
  info: "",
} as const satisfies DraftChange;

describe("drafts of a guild", () => {
  let guild: MemoryGuild;

  beforeEach(() => {
    guild = new MemoryGuild();
    guild.now = NOW;
  });

  const preview = (changes: readonly DraftChange[], more: Partial<PreviewDraftsParams> = {}, byOperator = false) =>
    renderDraftPreviews(
      guild.owners(),
      { currentProblem: async () => PROBLEM, guildName: async () => "Guild" },
      { guildId: guild.id, changes, ...more },
      NOW,
      byOperator,
    );

  const refusalOf = (changes: readonly DraftChange[], byOperator = false) =>
    draftGuild(guild.owners(), { guildId: guild.id, changes, now: NOW, byOperator });

  test("are previewed for the next occurrences of a new event, with the problem of the channel, and are not stored", async () => {
    const previews = await preview([series, { ...rule, info: "Bring potions" }], { limit: 3 });
    expect(previews).toMatchObject(
      [1, 8, 15].map((days) => ({
        startsAt: NOW + days * DAY,
        channel: "7",
        problem: PROBLEM,
        messages: [{ embeds: [{ title: "Weekly" }] }],
      })),
    );
    expect([guild.rows.events.size, guild.announcements.size]).toEqual([0, 0]);
  });

  test("show an announcement that the last change updates, also one that it disables, and the event that is named", async () => {
    await guild.write(event, 100);
    await guild.write(rule, 101);
    const id = draftAnnouncementId(101);
    const reworded = { action: "UPDATE_ANNOUNCEMENT", id, info: "Reworded", enabled: false } as const;
    const renamed = { action: "UPDATE_EVENT", calendarNumber: 1, eventId: draftEventId(100), name: "Renamed" } as const;
    const fields = [{ name: "Starts" }, { value: "Reworded" }];
    expect(await preview([reworded, renamed])).toMatchObject([
      { eventId: draftEventId(100), messages: [{ embeds: [{ title: "Renamed", fields }] }] },
    ]);
    expect(await preview([event], { id, eventId: draftEventId(0) })).toMatchObject([{ eventId: draftEventId(0) }]);
    expect(await preview([], { id })).toMatchObject([{ messages: [{ embeds: [{ title: "Raid" }] }] }]);
  });

  test("are refused without an announcement, with an unknown one, and if no event is ahead", async () => {
    expect(await preview([event])).toMatchObject({ refusal: "INVALID_REQUEST", problems: [{ field: "id" }] });
    expect(await preview([event], { id: "x" })).toEqual({ refusal: "ANNOUNCEMENT_NOT_FOUND" });
    expect(await preview([rule])).toMatchObject({ refusal: "EVENT_NOT_FOUND" });
    const other = { ...rule, type: "COLOR", eventColor: "RED" } as const;
    expect(await preview([event, other])).toMatchObject({ refusal: "EVENT_NOT_FOUND" });
  });

  test("are refused as the first change that an owner refuses, whichever owner that is", async () => {
    const noCalendar = { ...event, calendarNumber: 2 };
    const noAnnouncement = { action: "DELETE_ANNOUNCEMENT", id: "x" } as const;
    const operatorOnly = { action: "UPDATE_SETTINGS", maxCalendars: 2 } as const;
    const refused = (type: string, at: number) => ({
      refusal: type,
      message: expect.stringMatching(new RegExp(`^changes\\[${at}\\]: [A-Z]`)),
    });
    expect(await refusalOf([event, operatorOnly, noCalendar])).toMatchObject(refused("OPERATOR_ONLY", 1));
    expect(await refusalOf([operatorOnly])).toMatchObject({ problems: [{ field: "changes[0].maxCalendars" }] });
    expect(await refusalOf([noCalendar, operatorOnly])).toMatchObject(refused("CALENDAR_NOT_FOUND", 0));
    expect(await refusalOf([event, noAnnouncement, noCalendar])).toMatchObject(refused("ANNOUNCEMENT_NOT_FOUND", 1));
    expect(await refusalOf([event, noCalendar, noAnnouncement])).toMatchObject(refused("CALENDAR_NOT_FOUND", 1));
    expect(await refusalOf([operatorOnly, noCalendar], true)).toMatchObject({ settings: { maxCalendars: [1, 2, 2] } });
  });

  test("refer to events as they are at their turn: created before, and not deleted yet", async () => {
    const specific = { ...rule, type: "SPECIFIC", eventId: draftEventId(0) } as const;
    const gone = { action: "DELETE_EVENT", calendarNumber: 1, eventId: draftEventId(0) } as const;
    expect(await refusalOf([event, specific, gone])).toHaveProperty("announcements.changed.length", 1);
    expect(await refusalOf([event, gone, specific])).toMatchObject({ refusal: "EVENT_NOT_FOUND" });
    const withThem = { ...gone, announcements: "delete" } as const;
    const deleted = await refusalOf([event, specific, withThem]);
    expect(deleted).toMatchObject({ announcements: { after: [], changed: [{ id: draftAnnouncementId(1) }] } });
  });

  test("are refused beyond the numbers of events and announcements that a guild may have", async () => {
    for (let at = 0; at < 999; at += 1) await guild.write(event, 100 + at);
    expect(await refusalOf([event, event])).toMatchObject({ refusal: "TOO_MANY_EVENTS" });
    const eventId = draftEventId(100);
    const gone = { action: "DELETE_EVENT", calendarNumber: 1, eventId } as const;
    expect(await refusalOf([event, gone, event])).not.toHaveProperty("refusal");
    for (let at = 0; at < 1_000; at += 1) await guild.write(rule, 100 + at);
    expect(await refusalOf([rule])).toMatchObject({ refusal: "TOO_MANY_ANNOUNCEMENTS" });
    const removed = { action: "DELETE_ANNOUNCEMENT", id: draftAnnouncementId(100) } as const;
    expect(await refusalOf([removed, rule])).not.toHaveProperty("refusal");
  });

  test("are refused for another revision than the one that they name", async () => {
    await guild.write(rule, 100);
    const id = draftAnnouncementId(100);
    const update = { action: "UPDATE_ANNOUNCEMENT", id, info: "x" } as const;
    expect(await refusalOf([{ ...update, ifRevision: ["7"] }])).toMatchObject({
      refusal: "REVISION_MISMATCH",
    });
  });
});
