import * as fc from "fast-check";

/** Values of each property, some valid, some not. Dates are of few days, so that VEVENTs meet. */
const time = fc.oneof(
  fc.integer({ min: 1, max: 28 }).map((day) => `203001${String(day).padStart(2, "0")}T190000Z`),
  fc.constantFrom("20300101T250000Z", "20300131", "19000101T000000Z", "99991231T235959Z", "", "P1D", "20300229T000000"),
);
const zone = fc.constantFrom(
  "",
  "",
  ";TZID=Europe/Berlin",
  ";TZID=Eastern Standard Time",
  ";TZID=Own",
  ";TZID=",
  ";VALUE=DATE",
  ';TZID="',
);
const times = fc
  .tuple(zone, fc.array(time, { minLength: 1, maxLength: 4 }))
  .map(([of, all]) => `${of}:${all.join(",")}`);
const oneTime = fc.tuple(zone, time).map(([of, at]) => `${of}:${at}`);
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^(?:\\[\\;,nN]|[\\;,"a]){0,40}$/),
  fc.nat(20_000).map((n) => "x".repeat(n)),
);
const rule = fc.oneof(
  fc.constantFrom(
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=9",
    "FREQ=MONTHLY;BYDAY=-1FR",
    "FREQ=YEARLY;BYWEEKNO=20",
    "FREQ=SECONDLY",
  ),
  fc.stringMatching(
    /^FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)(?:;(?:INTERVAL|COUNT|BYMONTHDAY|BYMONTH|BYSETPOS)=-?[0-9]{1,3}){0,3};?$/,
  ),
);

const property = fc.oneof(
  ...(["DTEND", "RECURRENCE-ID"] as const).map((name) => oneTime.map((value) => name + value)),
  ...(["EXDATE", "RDATE"] as const).map((name) => times.map((value) => name + value)),
  ...(["SUMMARY", "DESCRIPTION", "LOCATION", "URL", "IMAGE", "ATTACH", "COLOR", "X-OTHER"] as const).map((name) =>
    text.map((value) => `${name}:${value}`),
  ),
  rule.map((value) => `RRULE:${value}`),
  fc.constantFrom(
    "STATUS:CANCELLED",
    "SEQUENCE:5",
    "DURATION:PT1H",
    "DURATION:-P1D",
    "BEGIN:VALARM\r\nEND:VALARM",
    "IMAGE:https://example.com/a.png",
  ),
);

const ZONE = [
  "BEGIN:VTIMEZONE",
  "TZID:Own",
  "BEGIN:STANDARD",
  "DTSTART:16010101T000000",
  "TZOFFSETFROM:+0200",
  "TZOFFSETTO:+0300",
  "RRULE:FREQ=DAILY",
  "END:STANDARD",
  "END:VTIMEZONE",
].join("\r\n");

const event = fc
  .tuple(fc.integer({ min: 1, max: 6 }), oneTime, fc.array(property, { maxLength: 8 }))
  .map(([uid, start, lines]) => ["BEGIN:VEVENT", `UID:${uid}`, `DTSTART${start}`, ...lines, "END:VEVENT"].join("\r\n"));

const calendar = fc
  .array(event, { maxLength: 8 })
  .map((events) => ["BEGIN:VCALENDAR", "VERSION:2.0", ZONE, ...events, "END:VCALENDAR", ""].join("\r\n"));

/** A body of an import: a calendar of few events, sometimes with a part that is cut out, repeated or folded. */
export const anyCalendar: fc.Arbitrary<string> = fc
  .tuple(calendar, fc.constantFrom("whole", "whole", "cut", "repeated", "folded"), fc.nat(), fc.nat(200))
  .map(([body, kind, seed, length]) => {
    const at = seed % body.length;
    const [before, part, after] = [body.slice(0, at), body.slice(at, at + length), body.slice(at + length)];
    if (kind === "cut") return before + after;
    if (kind === "repeated") return before + part.repeat(200) + after;
    return kind === "folded" ? before + Array.from(part).join("\r\n ") + after : body;
  });
