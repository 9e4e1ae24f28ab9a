import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import ICAL from "ical.js";
import { contentLine, textLine } from "./content-line.ts";

/** As a reader puts folded lines back (RFC 5545, section 3.1). */
function unfold(lines: string): string {
  return lines.replaceAll("\r\n ", "");
}

const anyText = fc.string({ unit: fc.oneof(fc.constantFrom("a", "ü", "€", "😀", " "), fc.string({ maxLength: 1 })) });
const longText = fc.array(anyText, { maxLength: 30 }).map((texts) => texts.join("").replaceAll(/[\r\n]/g, ""));

describe("a content line (RFC 5545, section 3.1)", () => {
  test("is unfolded to the original text, has at most 75 octets in each line, and splits no character", () => {
    fc.assert(
      fc.property(longText, (text) => {
        const lines = contentLine("SUMMARY", text);
        expect(unfold(lines)).toBe(`SUMMARY:${text}\r\n`);
        for (const line of lines.split("\r\n")) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
          expect(line.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["75 octets", `X:${"a".repeat(73)}\r\n`, "a".repeat(73)],
    ["76 octets", `X:${"a".repeat(73)}\r\n a\r\n`, "a".repeat(74)],
    ["a character that would end in the 76th", `X:${"a".repeat(72)}\r\n ü\r\n`, `${"a".repeat(72)}ü`],
    ["149 octets", `X:${"a".repeat(73)}\r\n ${"a".repeat(74)}\r\n`, "a".repeat(147)],
    ["four octets a character", `X:${"😀".repeat(18)}\r\n ${"😀".repeat(18)}\r\n 😀\r\n`, "😀".repeat(37)],
  ])("of %s is folded at 75 octets", (_title, lines, value) => {
    expect(contentLine("X", value)).toBe(lines);
  });
});

describe("a text (RFC 5545, section 3.3.11)", () => {
  test("is read back unchanged, with every line break as one kind and without other control characters", () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 30 }), (texts) => {
        const text = texts.join("");
        const shown = text
          .replaceAll(/\r\n|[\n\r\v\f\x85\u2028\u2029]/g, "\n")
          .replaceAll(/[\x00-\x08\x0e-\x1f\x7f]/g, "");
        const parsed = ICAL.parse(`BEGIN:VEVENT\r\n${textLine("SUMMARY", text)}END:VEVENT`) as [string, unknown[][]];
        expect(parsed[1][0]?.[3]).toBe(shown);
      }),
      { numRuns: 500 },
    );
  });

  test.each(["\r", "\n", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"])(
    "cannot begin a line of its own by %j",
    (lineBreak) => {
      expect(textLine("SUMMARY", `a${lineBreak}BEGIN:VALARM`)).toBe("SUMMARY:a\\nBEGIN:VALARM\r\n");
    },
  );

  test("escapes separators", () => {
    expect(textLine("SUMMARY", 'a,b;c\\d:e"f')).toBe('SUMMARY:a\\,b\\;c\\\\d:e"f\r\n');
  });
});
