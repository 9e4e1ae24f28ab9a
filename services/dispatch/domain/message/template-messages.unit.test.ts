import { describe, expect, test } from "@jest/globals";
import { announced, bare } from "../../../../test/fixtures/announced-samples.ts";
import { LANGUAGES } from "../../../contracts/guild-settings.contract.ts";
import { type MessageTemplate, type PlaceholderName, PLACEHOLDERS } from "../../../contracts/message-template.ts";
import { type MessageInput, showsGuildName } from "./message-input.ts";
import { renderAnnouncement } from "./announcement-message.ts";

type Differences = NonNullable<Parameters<typeof announced>[0]>;

function embedOf(input: MessageInput) {
  return renderAnnouncement(input)[0]?.embeds[0];
}

function withTemplate(template: MessageTemplate, { announcement, ...differences }: Differences = {}) {
  return embedOf(announced({ ...differences, announcement: { ...announcement, template } }));
}

const NAMES = Object.keys(PLACEHOLDERS) as PlaceholderName[];
const EVERY = NAMES.map((name) => `${name}=[{${name}}]`).join("\n");
const known: Differences = { occurrence: { calendarName: "Raids", occurrenceNumber: 7 }, guildName: "The Night Watch" };

describe("the message of an announcement with a template (D61)", () => {
  test("has the values of all placeholders in the zone of the calendar", () => {
    expect(withTemplate({ title: "{name}", body: EVERY }, known)).toMatchObject({
      title: "Raid night",
      description: [
        "name=[Raid night]",
        "description=[Bring **potions**.\nFirst pull at nine sharp.]",
        "location=[Molten Core]",
        "info=[Sign up in the pinned thread.]",
        "calendar=[Raids]",
        "guild=[The Night Watch]",
        "start=[Saturday, November 21, 2026, 8:00 PM (Europe/Berlin)]",
        "start:date=[Saturday, November 21, 2026]",
        "start:time=[8:00 PM]",
        "start:local=[<t:1795287600:F>]",
        "start:relative=[<t:1795287600:R>]",
        "end=[Saturday, November 21, 2026, 10:30 PM (Europe/Berlin)]",
        "end:date=[Saturday, November 21, 2026]",
        "end:time=[10:30 PM]",
        "end:local=[<t:1795296600:F>]",
        "end:relative=[<t:1795296600:R>]",
        "duration=[2 hours 30 minutes]",
        "occurrence_number=[7]",
        "offset=[1 hour]",
      ].join("\n"),
    });
  });

  test("has empty texts for absent values", () => {
    const input = bare();
    const template = {
      title: "{name}",
      body: "{name}{description}{location}{info}{calendar}{guild}{occurrence_number}",
    };
    const embed = embedOf({ ...input, announcement: { ...input.announcement, template } });
    expect(embed).toMatchObject({ title: "Announcement" });
    expect(embed).not.toHaveProperty("description");
  });

  test("shows the days of an all-day event, and no times", () => {
    const dates = { allDay: true, startDate: "2026-11-21", endDate: "2026-11-24" } as const;
    const [startsAt, endsAt] = [Date.UTC(2026, 10, 20, 23), Date.UTC(2026, 10, 23, 23)];
    const body = "{start}/{start:time}/{start:local}/{end}/{end:time}/{end:local}/{duration}";
    const first = `Saturday, November 21, 2026//<t:${startsAt / 1000}:D>`;
    const last = `Monday, November 23, 2026//<t:${endsAt / 1000 - 1}:D>`;
    expect(withTemplate({ body }, { occurrence: { ...dates, startsAt, endsAt } })).toMatchObject({
      description: `${first}/${last}/3 days`,
    });
  });

  test.each([
    ["ENGLISH", "1 day 1 hour 1 minute", "8:00 PM"],
    ["JAPANESE", "1日1時間1分", "午後8:00"],
    ["PORTUGUESE", "1 dia 1 hora 1 minuto", "8:00 PM"],
    ["SPANISH", "1 día 1 hora 1 minuto", "8:00 p. m."],
  ] as const)("is in %s as the settings say", (lang, duration, time) => {
    expect(LANGUAGES).toContain(lang);
    const startsAt = Date.UTC(2026, 10, 21, 19);
    const occurrence = { startsAt, endsAt: startsAt + (1440 + 60 + 1) * 60_000 };
    const embed = withTemplate({ body: "{duration} {start:time}" }, { occurrence, settings: { lang } });
    expect(embed?.description).toBe(`${duration} ${time}`);
  });

  test("names the offset of the post, or the first one of the announcement", () => {
    const offsets = [
      { anchor: "START", minutes: -1440 },
      { anchor: "END", minutes: 10 },
    ] as const;
    const input = announced({ announcement: { offsets, template: { body: "{offset}" } } });
    expect(embedOf(input)?.description).toBe("1 day");
    expect(embedOf({ ...input, offset: offsets[1] })?.description).toBe("10 minutes");
    expect(embedOf({ ...input, offset: { anchor: "START", minutes: 0 } })?.description).toBe("0 minutes");
  });

  test("has only the fields that the template lists, and all of them without a list", () => {
    const [all, none] = [withTemplate({ title: "T" }), withTemplate({ fields: [] })];
    expect(all).toMatchObject({ title: "T", imageUrl: expect.any(String), footer: expect.any(String) });
    expect(all?.fields.map(({ name }) => name)).toEqual(["Starts", "Ends", "Location", "Additional information"]);
    expect(none).toEqual({
      title: "Raid night",
      description: expect.any(String),
      color: expect.any(Number),
      fields: [],
    });
    const some = withTemplate({ fields: ["TIMES", "INFO"] });
    expect(some?.fields.map(({ name }) => name)).toEqual(["Starts", "Ends", "Additional information"]);
    expect(withTemplate({ fields: ["IMAGE", "IDS"] })).toMatchObject({ ...all, title: "Raid night", fields: [] });
    expect(withTemplate({ fields: ["LOCATION"] })?.fields).toMatchObject([{ value: "Molten Core" }]);
  });

  test("does not read placeholders in the texts of the event, and shows literal braces", () => {
    const occurrence = { name: "{location} {{x}} {nope", description: "{name}" };
    expect(withTemplate({ title: "{{{name}}}", body: "{description}" }, { occurrence })).toMatchObject({
      title: "{{location} {{x}} {nope}",
      description: "{name}",
    });
  });

  test("uses the template of the announcement as a whole, then that of the guild", () => {
    const settings = { template: { title: "guild", body: "{name}" } };
    expect(embedOf(announced({ settings }))).toMatchObject({ title: "guild", description: "Raid night" });
    expect(withTemplate({ body: "own" }, { settings })).toMatchObject({ title: "Raid night", description: "own" });
    expect(withTemplate({}, { settings })).toEqual(embedOf(announced()));
  });

  test("with an info alone has the title of the template and the info", () => {
    const announcement = { infoOnly: true, info: "Only this" };
    const embed = withTemplate({ title: "T", body: "{name}" }, { announcement });
    expect(embed).toEqual({ title: "T", description: "Only this", color: expect.any(Number), fields: [] });
  });

  test("that a later release has stored with an unknown placeholder is as without that part", () => {
    expect(withTemplate({ title: "{moon}", body: "{name" })).toEqual(embedOf(announced()));
  });

  test("asks for the name of the guild if it shows it", () => {
    const { announcement, settings } = announced();
    const template = { body: "{guild}" };
    expect(showsGuildName(announcement, settings)).toBe(false);
    expect(showsGuildName(announcement, { ...settings, branded: true })).toBe(true);
    expect(showsGuildName({ template }, settings)).toBe(true);
    expect(showsGuildName(announcement, { ...settings, template })).toBe(true);
    expect(showsGuildName({ template: {} }, { ...settings, template })).toBe(false);
  });
});
