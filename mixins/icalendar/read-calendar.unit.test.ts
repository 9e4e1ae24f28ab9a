import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { isRefusal } from "../../services/contracts/errors.ts";
import { MAX_EVENT_LENGTH, MAX_IMPORT_BYTES } from "../../services/contracts/event-import.contract.ts";
import { CalendarScanner, type ScannedCalendar } from "./calendar-scanner.ts";
import { LineReader } from "./line-reader.ts";
import { readCalendar } from "./read-calendar.ts";

/** A million, in bodies of at most 10 MiB. */
const MANY = 1_000_000;

function vcalendar(lines: string): string {
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${lines}END:VCALENDAR\r\n`;
}

function vevent(lines: string, uid = "1"): string {
  return `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20260401T100000Z\r\n${lines}END:VEVENT\r\n`;
}

async function* piecesOf(text: string, bytes = 65_536): AsyncGenerator<Buffer> {
  const body = Buffer.from(text);
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes);
}

async function scan(text: string): Promise<ScannedCalendar> {
  const calendar = await readCalendar(piecesOf(text));
  if (isRefusal(calendar)) throw new Error(JSON.stringify(calendar));
  return calendar;
}

async function refusalOf(text: string): Promise<string> {
  const refused = await readCalendar(piecesOf(text));
  return isRefusal(refused) ? (refused.problems?.[0]?.message ?? refused.refusal) : "accepted";
}

describe("a hostile body of an import", () => {
  test("of a million folded lines in a text keeps what a text may have", async () => {
    const { events } = await scan(vcalendar(vevent(`DESCRIPTION:a${"\r\n b".repeat(MANY)}\r\n`)));
    expect(events).toHaveLength(1);
    expect(events[0]!.text.length).toBeLessThan(MAX_EVENT_LENGTH);
    expect(events[0]!.text).toContain("b".repeat(8_000));
  });

  test.each([
    ["one line", `EXDATE:${"20260402T100000Z,".repeat(500_000)}20260403T100000Z\r\n`],
    ["a line each", "EXDATE:20260402T100000Z\r\n".repeat(400_000)],
    ["folded lines", `EXDATE:2${"\r\n 0".repeat(MANY)}\r\n`],
  ])("of hundreds of thousands of EXDATEs in %s is one VEVENT that is skipped", async (_name, dates) => {
    const { events, unreadable } = await scan(vcalendar(vevent(dates) + vevent("", "2")));
    expect(unreadable).toEqual([{ line: 3, reason: "TOO_MANY_EXCEPTIONS", uid: "1" }]);
    expect(events.map(({ uid }) => uid)).toEqual(["2"]);
  });

  test("of repeated properties keeps the first of each, and counts the others", async () => {
    const { events, notImported } = await scan(
      vcalendar(vevent("SUMMARY:a\r\nX-A:b\r\nATTENDEE:c\r\n".repeat(200_000))),
    );
    expect(events[0]!.text).toBe("UID:1\nDTSTART:20260401T100000Z\nSUMMARY:a");
    expect(Object.fromEntries(notImported)).toEqual({ "X-": 200_000, ATTENDEE: 200_000, other: 199_999 });
  });

  test("counts the properties of the calendar that are not stored, without those that describe the file", async () => {
    const file =
      "VERSION:2.0\r\nPRODID:-//a//b//EN\r\nCALSCALE:GREGORIAN\r\nMETHOD:PUBLISH\r\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n";
    const calendar =
      "NAME:Raids\r\nX-WR-CALNAME:Raids\r\nX-WR-TIMEZONE:Europe/Berlin\r\nCOLOR:red\r\nX-OF-US:1\r\nIMAGE:a\r\n";
    const { notImported } = await scan(`BEGIN:VCALENDAR\r\n${file}${calendar}${vevent("")}END:VCALENDAR\r\n`);
    expect(Object.fromEntries(notImported)).toEqual({
      NAME: 1,
      "X-WR-CALNAME": 1,
      "X-WR-TIMEZONE": 1,
      COLOR: 1,
      "X-": 1,
      other: 1,
    });
  });

  test("of nested components is refused at the eleventh level", async () => {
    expect(await refusalOf(`BEGIN:VCALENDAR\r\n${"BEGIN:X\r\n".repeat(MANY)}`)).toBe(
      "must have at most 10 levels of components: line 11 has more",
    );
    expect(await refusalOf(vcalendar(vevent("BEGIN:VALARM\r\nSUMMARY:no\r\nEND:VALARM\r\n")))).toBe("accepted");
  });

  test("of more VEVENTs, or time zones, than an import may have is refused", async () => {
    const empty = "BEGIN:VEVENT\r\nEND:VEVENT\r\n";
    expect(await refusalOf(vcalendar(empty.repeat(50_001)))).toBe("must have at most 50000 VEVENTs");
    expect((await scan(vcalendar(empty.repeat(50_000)))).unreadable).toHaveLength(50_000);
    const zone = "BEGIN:VTIMEZONE\r\nTZID:Z\r\nEND:VTIMEZONE\r\n";
    expect(await refusalOf(vcalendar(zone.repeat(1_001)))).toBe("must have at most 1000 VTIMEZONEs");
  });

  test("of observances without end keeps the last ones of the time zone", async () => {
    const observance = (year: number) =>
      `BEGIN:STANDARD\r\nDTSTART:${year}0101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\n`;
    const years = Array.from({ length: 3_000 }, (_, after) => observance(1_000 + after)).join("");
    const { zones } = await scan(vcalendar(`BEGIN:VTIMEZONE\r\nTZID:Long\r\n${years}END:VTIMEZONE\r\n`));
    expect(zones.get("Long")!.length).toBeLessThanOrEqual(4_000);
    expect(zones.get("Long")).toMatch(
      /^TZID:Long\nBEGIN:STANDARD\nDTSTART:39\d\d0101T000000\n[^]*DTSTART:39990101T000000\n[^]*END:STANDARD$/,
    );
  });

  test.each([
    ["is empty", "", "must begin with BEGIN:VCALENDAR (RFC 5545)"],
    ["is HTML", "<html>\r\n", "must begin with BEGIN:VCALENDAR (RFC 5545)"],
    ["begins with another component", "BEGIN:VEVENT\r\n", "must begin with BEGIN:VCALENDAR (RFC 5545)"],
    ["was cut", vcalendar(vevent("")).slice(0, -15), "must end with END:VCALENDAR: it is not complete"],
    [
      "has an END of another component",
      "BEGIN:VCALENDAR\r\nEND:VEVENT\r\n",
      "must have an END for each BEGIN: line 2 has none",
    ],
  ])("that %s is refused", async (_name, text, message) => {
    expect(await refusalOf(text)).toBe(message);
  });

  test("that is larger than 10 MiB is refused before it is complete", async () => {
    const read = { bytes: 0 };
    async function* endless() {
      for (;;) {
        read.bytes += 65_536;
        yield Buffer.alloc(65_536, "BEGIN:VCALENDAR\r\n");
      }
    }
    async function* valid() {
      yield Buffer.from("BEGIN:VCALENDAR\r\n");
      for await (const chunk of endless()) yield chunk.fill(0x20);
    }
    expect(await readCalendar(valid())).toMatchObject({ refusal: "PAYLOAD_TOO_LARGE" });
    expect(read.bytes).toBeLessThanOrEqual(MAX_IMPORT_BYTES + 65_536);
  });

  test("leaves the event loop to other requests while it is read", async () => {
    let turns = 0;
    const count = setInterval(() => (turns += 1), 0);
    await scan(vcalendar(vevent("SUMMARY:a\r\nX-A:b\r\n".repeat(300_000))));
    clearInterval(count);
    expect(turns).toBeGreaterThan(5);
  });
});

describe("content lines", () => {
  const linesOf = (pieces: readonly Buffer[]) => {
    const reader = new LineReader();
    const lines = pieces.flatMap((piece) => [...reader.read(piece)]);
    const last = reader.end();
    return last === undefined ? lines : [...lines, last];
  };

  test("are the same in whatever pieces the body arrives", () => {
    const line = fc.stringMatching(/^[A-Z]{1,8}:(?:a|é|🎲| |\t){0,12}$/);
    const ends = fc.constantFrom("\r\n", "\n", "\r\n ", "\n\t", "\r\n\r\n");
    const text = fc.array(fc.tuple(line, ends), { maxLength: 12 }).map((all) => all.flat().join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 20 }), { maxLength: 20 }), (body, sizes) => {
        const bytes = Buffer.from(body);
        let at = 0;
        const pieces = [...sizes, bytes.length].map((size) => bytes.subarray(at, (at += size)));
        expect(linesOf(pieces)).toEqual(linesOf([bytes]));
      }),
    );
  });

  test("are unfolded within a character, and have the number of their first line", () => {
    const dice = Buffer.from("🎲");
    const folded = [
      Buffer.from("A:x\r\nB:"),
      dice.subarray(0, 2),
      Buffer.from("\r\n "),
      dice.subarray(2),
      Buffer.from("\r\nC:z"),
    ];
    expect(linesOf(folded).map(({ number, text }) => [number, text])).toEqual([
      [1, "A:x"],
      [2, "B:🎲"],
      [4, "C:z"],
    ]);
  });

  test("that are not UTF-8 skip their VEVENT alone", () => {
    const scanner = new CalendarScanner();
    const bad = Buffer.concat([Buffer.from("SUMMARY:"), Buffer.from([0xff, 0xfe]), Buffer.from("\r\n")]);
    const body = [Buffer.from("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\n"), bad];
    for (const line of linesOf([...body, Buffer.from(`END:VEVENT\r\n${vevent("", "2")}END:VCALENDAR`)]))
      scanner.read(line);
    const { events, unreadable } = scanner.end();
    expect(unreadable).toEqual([{ line: 2, reason: "NOT_UTF8", uid: "1" }]);
    expect(events.map(({ uid }) => uid)).toEqual(["2"]);
  });
});
