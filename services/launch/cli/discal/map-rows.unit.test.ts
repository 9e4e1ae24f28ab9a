import { describe, expect, test } from "@jest/globals";
import { LANGUAGES } from "../../../contracts/guild-settings.contract.ts";
import { CLDR_LOCALES } from "../../../../test/languages/cldr-formats.ts";
import { announcementOf } from "./map-announcement.ts";
import { pausedUntil, settingsOf } from "./map-settings.ts";
import { imageOf } from "./survey-export.ts";
import type { TableRow } from "./table-row.ts";

const row = (fields: Readonly<Record<string, string | null>>): TableRow => ({
  line: 1,
  fields: new Map(Object.entries(fields)),
});

describe("settings of DisCal", () => {
  test("become those of guildcal, from the present table and from an older one", () => {
    const present = {
      guild_id: "7",
      time_format: "2",
      announcement_style: "2",
      lang: "pt-BR",
      max_calendars: "3",
      branded: "1",
    };
    expect(settingsOf(row({ ...present, control_role: "42" }))).toEqual({
      guildId: "7",
      settings: { control_role: "42", lang: "PORTUGUESE", simple_announcements: true, twelve_hour: true },
      operatorSettings: { max_calendars: 3, patron_guild: false, dev_guild: false, branded: true },
      changes: [],
    });
    expect(
      settingsOf(row({ guild_id: "7", "12_hour": "1", simple_announcement: "1", lang: "JAPANESE" })),
    ).toMatchObject({
      settings: { control_role: "everyone", lang: "JAPANESE", simple_announcements: true, twelve_hour: true },
    });
  });

  test("have each language of the posts by its tag or its English name", () => {
    const mapped = (lang: string) => settingsOf(row({ guild_id: "7", lang }));
    expect(Object.values(CLDR_LOCALES).map(mapped)).toMatchObject(
      Object.keys(CLDR_LOCALES).map((lang) => ({ settings: { lang }, changes: [] })),
    );
    expect(LANGUAGES.map((lang) => mapped(lang.toLowerCase()))).toMatchObject(
      LANGUAGES.map((lang) => ({ settings: { lang }, changes: [] })),
    );
    expect(["zh-CN", "zh_TW", "zh-Hant-HK", "no", "nn-NO", "es-419", "en-GB", "ja"].map(mapped)).toMatchObject(
      [
        "CHINESE_SIMPLIFIED",
        "CHINESE_TRADITIONAL",
        "CHINESE_TRADITIONAL",
        "NORWEGIAN",
        "NORWEGIAN",
        "SPANISH",
        "ENGLISH",
        "JAPANESE",
      ].map((lang) => ({ settings: { lang }, changes: [] })),
    );
  });

  test("that do not exist here are reported", () => {
    const mapped = settingsOf(row({ guild_id: "7", lang: "eo", announcement_style: "4", control_role: "admins" }));
    expect(mapped).toMatchObject({ changes: ["LANGUAGE_REPLACED", "STYLE_REPLACED", "CONTROL_ROLE_DROPPED"] });
    expect(settingsOf(row({ guild_id: "x" }))).toBe("INVALID_GUILD");
  });

  test("pause announcements until an instant in UTC", () => {
    const at = Date.UTC(2026, 10, 25, 12);
    expect(pausedUntil(row({ pause_announcements_until: "2026-11-25 12:00:00" }))).toBe(at);
    expect(pausedUntil(row({ pause_announcements_until: "2026-11-25T12:00:00Z" }))).toBe(at);
    expect(pausedUntil(row({ pause_announcements_until: null }))).toBeUndefined();
  });
});

describe("an announcement of DisCal", () => {
  const active = () => ({ isPaused: false, hasManyCalendars: false });
  const fields = {
    guild_id: "7",
    announcement_id: "a1",
    calendar_number: "2",
    channel_id: "77",
    announcement_type: "UNIVERSAL",
    modifier: "BEFORE",
    event_id: "N/a",
    event_color: "NONE",
    hours_before: "1",
    minutes_before: "30",
    info: "None",
    enabled: "1",
    subscribers_role: "everyone,7,@here,42,",
    subscribers_user: "5,x,",
  };

  test("has its lead time, text and subscribers; 'None' is no text, and the id of the guild is everyone", () => {
    expect(announcementOf(row(fields), active)).toEqual({
      guildId: "7",
      id: "a1",
      calendarNumber: 2,
      fields: {
        type: "UNIVERSAL",
        channel: "77",
        hours: 1,
        minutes: 30,
        info: "",
        enabled: true,
        subscribers_role: ["everyone", "here", "42"],
        subscribers_user: ["5"],
      },
      changes: ["SUBSCRIBERS_DROPPED"],
    });
  });

  test("after the start is an offset, and one that DisCal never posts is skipped", () => {
    const during = announcementOf(row({ ...fields, modifier: "DURING" }), active);
    expect(during).toMatchObject({ fields: { offsets: [{ anchor: "START", minutes: 90 }] } });
    expect(during).not.toHaveProperty("fields.hours");
    expect(announcementOf(row({ ...fields, modifier: "END" }), active)).toBe("NEVER_POSTED");
  });

  test("names a series, an occurrence or a color", () => {
    const eventOf = (more: object) => announcementOf(row({ ...fields, ...more }), active);
    const id = "e1_20300106T190000Z";
    expect(eventOf({ announcement_type: "RECUR", event_id: id })).toMatchObject({ event: { id: "e1" } });
    const specific = eventOf({ announcement_type: "SPECIFIC", event_id: id });
    expect(specific).toMatchObject({ event: { id: "e1", original: "20300106T190000Z" } });
    expect(eventOf({ announcement_type: "SPECIFIC" })).toBe("NO_EVENT");
    expect(eventOf({ announcement_type: "COLOR", event_color: "RED" })).toMatchObject({
      fields: { event_color: "RED" },
    });
    expect(eventOf({ announcement_type: "COLOR", event_color: "pink" })).toBe("INVALID_COLOR");
  });

  test("of a paused guild is created disabled, and one of several calendars is reported", () => {
    const state = () => ({ isPaused: true, hasManyCalendars: true });
    expect(announcementOf(row({ ...fields, publish: "1" }), state)).toMatchObject({
      fields: { enabled: false },
      changes: ["PAUSED", "ALL_CALENDARS", "NOT_PUBLISHED", "SUBSCRIBERS_DROPPED"],
    });
  });

  test.each([
    [{ guild_id: "0" }, "INVALID_GUILD"],
    [{ announcement_id: "a b" }, "INVALID_ID"],
    [{ announcement_type: "ALL" }, "INVALID_TYPE"],
    [{ channel_id: "general" }, "INVALID_CHANNEL"],
    [{ minutes_before: "-1" }, "INVALID_LEAD_TIME"],
  ])("with %o is skipped as %s", (more, reason) => {
    expect(announcementOf(row({ ...fields, ...more }), active)).toBe(reason);
  });
});

describe("a row of events", () => {
  const fields = { guild_id: "7", event_id: "e1", calendar_number: "1" };

  test.each([
    ["", "NO_IMAGE"],
    ["javascript:alert(1)", "INVALID_IMAGE"],
    ["https://example.com/a\r\nSTATUS:CANCELLED", "INVALID_IMAGE"],
  ])("with the image %j is skipped as %s", (image_link, reason) => {
    expect(imageOf(row({ ...fields, image_link }))).toBe(reason);
  });
});
