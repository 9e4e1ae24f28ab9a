import { describe, expect, test } from "@jest/globals";
import { sampleAnnouncement, sampleOccurrence } from "../../../../test/fixtures/dispatch-samples.ts";
import type { DigestEntry } from "../../../contracts/announcement-digests.ts";
import type { Announcement } from "../../../contracts/announcements.contract.ts";
import { LANGUAGES } from "../../../contracts/guild-settings.contract.ts";
import type { AnnouncementId, OccurrenceId } from "../../../contracts/ids.ts";
import { matchMessage } from "../../sinks/discord/match-message.ts";
import { encodeMessage } from "../../sinks/message-body.ts";
import { ANNOUNCEMENT_WORDS } from "./announcement-words.ts";
import { MORE_RESERVE } from "./digest-embed.ts";
import { embedLength } from "./announcement-embed.ts";
import { renderAnnouncement } from "./announcement-message.ts";
import type { MessageInput } from "./message-input.ts";

const DUE = Date.parse("2030-01-07T09:00:00Z");
const HOUR = 3_600_000;
const DIGEST = { calendarNumber: 1, frequency: "DAILY", time: "10:00", days: 1 } as const;
const SETTINGS = { lang: "ENGLISH", branded: false, simpleAnnouncements: false, twelveHour: false } as const;

function entry(name: string, differs: Partial<DigestEntry> = {}): DigestEntry {
  return { startsAt: DUE + HOUR, endsAt: DUE + 2 * HOUR, name, ...differs };
}

function inputOf(
  entries: readonly DigestEntry[] | undefined,
  {
    announcement = {},
    settings = {},
    hasMore,
    startsAt = DUE,
  }: { announcement?: Partial<Announcement>; settings?: object; hasMore?: true; startsAt?: number } = {},
): MessageInput {
  const id = "3f0b8a52-8c4e-4c1d-9a55-0d8c4c9f7a10" as AnnouncementId;
  const listed = { ...(entries && { entries }), ...(hasMore && { hasMore }) };
  return {
    announcement: sampleAnnouncement({ id, type: "DIGEST", digest: DIGEST, ...announcement }),
    occurrence: sampleOccurrence({
      occurrenceId: "d1_20300107" as OccurrenceId,
      calendarName: "Raids",
      timezone: "Europe/Berlin",
      startsAt,
      endsAt: startsAt + 24 * HOUR,
      digest: { announcementId: id, schedule: "", ...listed },
    }),
    settings: { ...SETTINGS, ...settings },
  };
}

function embedOf(...args: Parameters<typeof inputOf>) {
  const [message] = renderAnnouncement(inputOf(...args));
  return message!.embeds[0]!;
}

const MANY = Array.from({ length: 100 }, (_, at) => entry(`Raid ${at}`));

describe("the message of a digest (D65)", () => {
  test("lists the events of its days with their times in the zone of the calendar, and all-day events as dates", () => {
    const days = { allDay: true, startDate: "2030-01-07", endDate: "2030-01-09" } as const;
    const { title, description, fields } = embedOf(
      [
        entry("Holiday", { ...days, startsAt: DUE - 10 * HOUR, endsAt: DUE + 38 * HOUR }),
        entry("", { location: "Hall" }),
      ],
      { announcement: { info: "This is ahead." } },
    );
    expect(title).toBe("Raids");
    expect(description).toBe(
      "Monday, January 7, 2030, 10:00 – Tuesday, January 8, 2030, 10:00 (Europe/Berlin) · <t:1894006800:F> – <t:1894093200:F>\n\nThis is ahead.",
    );
    expect(fields).toEqual([
      {
        name: "Holiday",
        value: expect.stringMatching(/^Monday, January 7, 2030 – Tuesday, January 8, 2030 .*<t:\d+:D> – <t:\d+:D>$/),
        inline: false,
      },
      {
        name: "Event",
        value: expect.stringMatching(/^Monday, January 7, 2030, 11:00 – 12:00 .*<t:1894010400:R>\nHall$/),
        inline: false,
      },
    ]);
  });

  test.each(LANGUAGES)("shows twenty events and the number of the others in %s", (lang) => {
    const some = embedOf(MANY.slice(0, 32), { settings: { lang, twelveHour: true } });
    expect(some.fields.length).toBeLessThanOrEqual(20);
    const further = 32 - some.fields.length;
    expect(some.fields.at(-1)?.value).toContain(String(further));
    expect(some.fields.at(-1)?.value.split("\n\n")[1]).toBe(ANNOUNCEMENT_WORDS[lang].more(further, false));
    const all = embedOf(MANY.slice(0, some.fields.length), { settings: { lang, twelveHour: true } });
    expect(all.fields.at(-1)?.value).not.toContain("\n\n");
    const more = embedOf(MANY, { settings: { lang }, hasMore: true });
    expect(more.fields.at(-1)?.value.split("\n\n")[1]).toBe(
      ANNOUNCEMENT_WORDS[lang].more(100 - more.fields.length, true),
    );
  });

  test.each(LANGUAGES)("has room for the number of further events in %s", (lang) => {
    const { more } = ANNOUNCEMENT_WORDS[lang];
    for (const orMore of [false, true]) expect(`\n\n${more(10_000, orMore)}`.length).toBeLessThanOrEqual(MORE_RESERVE);
  });

  test("stays within the limits of Discord, whatever its texts, and mentions nobody", () => {
    const long = "@everyone ".repeat(200);
    const entries = Array.from({ length: 100 }, () => entry(long, { location: long }));
    for (const lang of LANGUAGES) {
      const input = inputOf(entries, { announcement: { info: long.repeat(2) }, settings: { lang }, hasMore: true });
      const [message] = renderAnnouncement({ ...input, occurrence: { ...input.occurrence, calendarName: long } });
      const embed = message!.embeds[0]!;
      expect(embedLength(embed)).toBeLessThanOrEqual(6000);
      expect(embed.fields.length).toBeGreaterThan(5);
      expect(message).toMatchObject({ content: "", allowedMentions: { parse: [], users: [], roles: [] } });
      for (const { name, value } of embed.fields) {
        expect(name.length).toBeLessThanOrEqual(256);
        expect(value.length).toBeLessThanOrEqual(1024);
      }
    }
  });

  test("has its text for days without events", () => {
    const { description, fields } = embedOf([], { announcement: { digest: { ...DIGEST, emptyText: "A quiet day." } } });
    expect(description).toMatch(/\n\nA quiet day\.$/);
    expect(fields).toEqual([]);
  });

  test("is recognized by its announcement and instant, although its events have changed", () => {
    const bodyOf = (...args: Parameters<typeof inputOf>) => encodeMessage(renderAnnouncement(inputOf(...args))[0]!);
    for (const settings of [{}, { simpleAnnouncements: true }]) {
      const known = bodyOf(undefined, { settings });
      expect(matchMessage(bodyOf([entry("One"), entry("Two")], { settings }), known)).toBe("same");
      expect(matchMessage(bodyOf([entry("One")], { settings, startsAt: DUE + HOUR }), known)).toBe("other");
      // The digest of an earlier instant lists an event that starts at the instant of this one.
      const next = bodyOf([entry("Two")], { settings, startsAt: DUE + HOUR });
      expect(matchMessage(bodyOf([entry("One")], { settings }), next)).toBe("other");
      const other = { id: "b1c94f0e-27d3-4a86-8f65-3d2a7e90c418" as AnnouncementId };
      expect(matchMessage(bodyOf([entry("One")], { settings, announcement: other }), known)).toBe("other");
    }
  });
});
