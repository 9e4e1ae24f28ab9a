import { describe, expect, test } from "@jest/globals";
import { definedFields } from "../../mixins/objects/defined-fields.ts";
import { calendarFile, importInMemory } from "./import-file.ts";
import { occurrencesInFeed } from "./read-feed.ts";

const YEARS = { from: Date.UTC(1996, 0, 1), until: Date.UTC(2028, 0, 1) };

/** Exports in the shapes of ten programs, with the zone of their calendar. */
const EXPORTS: readonly (readonly [name: string, zone?: string])[] = [
  ["google.ics", "Europe/Berlin"],
  ["apple.ics", "America/New_York"],
  ["outlook.ics"],
  ["outlook-custom-zone.ics"],
  ["exchange.ics"],
  ["nextcloud.ics"],
  ["thunderbird.ics"],
  ["fantastical.ics"],
  ["meetup.ics"],
  ["birthdays.ics"],
];

describe("an import loses nothing of the exports of other programs", () => {
  test.each(EXPORTS)("each occurrence of %s has the times and texts that ical.js reads", async (name, zone = "UTC") => {
    const text = calendarFile(name);
    // ical.js reads 29 February as 1 March in other years.
    const window = name === "birthdays.ics" ? { ...YEARS, until: Date.UTC(2001, 0, 1) } : YEARS;
    const { views } = await importInMemory(text, zone);
    const ours = views(window).map(({ startsAt, endsAt, ...texts }) => {
      const [title, description, location] = [texts.name, texts.description, texts.location];
      return { startsAt, endsAt, name: title, description: withoutUrl(description), location };
    });
    expect(ours.length).toBeGreaterThan(0);
    expect(ours).toEqual(occurrencesInFeed(readableByIcalJs(text), window, zone));
  });
});

describe("an import of the examples of RFC 5545", () => {
  test("has the times and texts of its three objects with events (section 4)", async () => {
    const objects = calendarFile("rfc5545-objects.ics").split(/(?=BEGIN:VCALENDAR)/);
    const imported = await Promise.all(objects.map((text) => importInMemory(text)));
    expect(imported.flatMap(({ findings }) => findings)).toEqual([]);
    const shown = imported.flatMap(({ views }) => views(YEARS));
    expect(shown.map(({ startsAt, endsAt }) => [startsAt, endsAt].map((at) => new Date(at).toISOString()))).toEqual([
      ["1996-09-18T14:30:00.000Z", "1996-09-20T22:00:00.000Z"],
      ["1998-03-12T13:30:00.000Z", "1998-03-12T14:30:00.000Z"],
      ["1997-03-24T12:30:00.000Z", "1997-03-24T21:00:00.000Z"],
    ]);
    const texts = objects.flatMap((text) => occurrencesInFeed(text, YEARS));
    expect(shown).toMatchObject(
      texts.map(({ name, description, location }) => definedFields({ name, description, location })),
    );
  });

  test("has the rules that ical.js misreads, has one of several times a day, and skips those below a day, of days of the year and of weeks", async () => {
    const { starts, findings } = await importInMemory(calendarFile("rfc5545-other-rules.ics"));
    expect(findings).toEqual([
      ["yearday@rfc5545", "RULE_NOT_SUPPORTED"],
      ["week-number@rfc5545", "RULE_NOT_SUPPORTED"],
      ["friday-13@rfc5545", "START_MOVED"],
      ["three-hours@rfc5545", "RULE_NOT_SUPPORTED"],
      ["quarters@rfc5545", "RULE_NOT_SUPPORTED"],
      ["ninety-minutes@rfc5545", "RULE_NOT_SUPPORTED"],
      ["minutely-by-hour@rfc5545", "RULE_NOT_SUPPORTED"],
    ]);
    // Every 20 minutes from 9:00 to 16:40, from 1997-09-02 on.
    const until = Date.UTC(2000, 0, 1);
    const all = starts({ from: YEARS.from, until });
    const firstDay = { from: Date.UTC(1997, 8, 2, 13), until: Date.UTC(1997, 8, 2, 21) };
    const everyTwentyMinutes = Array.from({ length: 24 }, (_, at) => firstDay.from + at * 20 * 60_000);
    expect(starts(firstDay)).toEqual(everyTwentyMinutes);
    // Fridays the 13th, and the 20th Mondays of the years, at 9:00.
    const { starts: startsOfDays } = await importInMemory(withoutTimesOfDay(calendarFile("rfc5545-other-rules.ics")));
    const days = startsOfDays({ from: YEARS.from, until });
    expect(all).toEqual(expect.arrayContaining(days));
    expect(days.map((at) => new Date(at).toISOString())).toEqual([
      "1997-05-19T13:00:00.000Z",
      "1998-02-13T14:00:00.000Z",
      "1998-03-13T14:00:00.000Z",
      "1998-05-18T13:00:00.000Z",
      "1998-11-13T14:00:00.000Z",
      "1999-05-17T13:00:00.000Z",
      "1999-08-13T13:00:00.000Z",
    ]);
  });
});

/** The body without the rule of several times a day, which has the most occurrences. */
function withoutTimesOfDay(text: string): string {
  return text.replace(/RRULE:FREQ=DAILY;BYHOUR=\S+/, "RRULE:FREQ=HOURLY");
}

/** A description without the URL of its event, which an import adds. */
function withoutUrl(description: string | undefined): string | undefined {
  return description?.replace("\n\nhttps://example.com/raid?id=5", "");
}

/** ical.js reads a time of a zone without a VTIMEZONE, and a floating one, in UTC. */
function readableByIcalJs(text: string): string {
  return text
    .replace("DTSTART;TZID=Asia/Kolkata:20260320T183000", "DTSTART:20260320T130000Z")
    .replace("DTEND;TZID=Asia/Kolkata:20260320T203000", "DTEND:20260320T150000Z")
    .replaceAll(/^(DT(?:START|END)):(20260704T\d{6})\r$/gm, "$1;TZID=America/New_York:$2\r");
}
