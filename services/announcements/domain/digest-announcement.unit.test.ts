import { describe, expect, test } from "@jest/globals";
import { sampleAnnouncement } from "../../../test/fixtures/dispatch-samples.ts";
import type { Announcement, UpdateAnnouncementParams } from "../../contracts/announcements.contract.ts";
import { isRefusal } from "../../contracts/errors.ts";
import type { AnnouncementId, GuildId } from "../../contracts/ids.ts";
import { changeAnnouncement, newAnnouncement } from "./announcement.ts";

const guildId = "1" as GuildId;
const DAILY = { calendarNumber: 1, frequency: "DAILY", time: "09:00" } as const;
const STORED = sampleAnnouncement({ type: "DIGEST", digest: { ...DAILY, days: 1 } });

function changed(changes: Partial<UpdateAnnouncementParams>, stored: Announcement = STORED) {
  const outcome = changeAnnouncement(stored, { guildId, id: stored.id, ...changes }, undefined);
  if (isRefusal(outcome)) throw new Error(outcome.problems?.map(({ field }) => field).join() ?? outcome.refusal);
  return outcome;
}

describe("an announcement of the type DIGEST (D65)", () => {
  test("is created with the days of its frequency and without a lead time", () => {
    const params = { guildId, channel: "77", type: "DIGEST", digest: DAILY, info: "" } as const;
    expect(newAnnouncement("a1" as AnnouncementId, params, "")).toMatchObject({
      digest: { ...DAILY, days: 1 },
      hours: 0,
      minutes: 0,
    });
  });

  test("starts again with another schedule, and not with other days, colors or texts", () => {
    expect(changed({ digest: { ...DAILY, time: "10:00" } }).restartsRule).toBe(true);
    expect(changed({ digest: { ...DAILY, calendarNumber: 2 } }).restartsRule).toBe(true);
    expect(changed({ digest: { ...DAILY, frequency: "WEEKLY", weekday: "MO" } }).restartsRule).toBe(true);
    const other = changed({ digest: { ...DAILY, days: 3, color: "RED", emptyText: "none" } });
    expect(other).toMatchObject({
      restartsRule: false,
      next: { digest: { days: 3, color: "RED", emptyText: "none" } },
    });
    expect(changed({ info: "new" })).toMatchObject({ restartsRule: false, next: { digest: { days: 1 } } });
  });

  test("loses its digest with another type, and another type loses its times and template with the new one", () => {
    expect(changed({ type: "UNIVERSAL" }).next).not.toHaveProperty("digest");
    const ofEvents = sampleAnnouncement({ hours: 2, infoOnly: true, template: { title: "T" }, skipOn: 2 });
    const { next, restartsRule } = changed({ type: "DIGEST", digest: DAILY }, ofEvents);
    expect(next).toMatchObject({ type: "DIGEST", hours: 0, minutes: 0, infoOnly: false, digest: { days: 1 } });
    expect(next).not.toHaveProperty("template");
    expect(next).not.toHaveProperty("skipOn");
    expect(restartsRule).toBe(true);
  });

  test("is refused by name with a field that it has no use for, and changes nothing", () => {
    expect(() => changed({ hours: 1 })).toThrow("hours");
    expect(() => changed({ template: { title: "T" } })).toThrow("template");
    expect(() => changed({ skipOn: 2 })).toThrow("skipOn");
    expect(() => changed({ digest: DAILY }, sampleAnnouncement())).toThrow("digest");
    expect(() => changed({ type: "DIGEST" }, sampleAnnouncement())).toThrow("digest");
    expect(changed({ hours: 0, minutes: 0, template: null, skipOn: null, infoOnly: false }).next).toMatchObject({
      hours: 0,
    });
  });
});
