import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { textMatch } from "./search-text.ts";

const event = { name: "Raid Night", description: "Bring 12 potions (100 %)", location: "STRAßE 5, Zürich" };

describe("the text of a search (D49)", () => {
  test.each([
    ["raid", true],
    ["RAID night", true],
    ["night potions zürich", true],
    ["aid igh", true],
    ["  raid\u3000\tnight\n", true],
    ["raid dragon", false],
    ["raidnight", false],
    ["strasse", true],
    ["ＲＡＩＤ", true],
    ["zu\u0308rich", true],
    ["zurich", false],
    ["(100 %)", true],
    [".*", false],
    ["r[a]id", false],
    ["$where", false],
    ["^raid", false],
  ])("%j is found: %s", (text, isFound) => {
    expect(textMatch(text)(event)).toBe(isFound);
  });

  test("is not found in an event without texts, nor in the address of its image", () => {
    expect(textMatch("raid")({})).toBe(false);
    expect(textMatch("raid")({ image: "https://example.org/raid.png" })).toBe(false);
  });

  test("has one form for the three sigmas, and for dotless and dotted letters of one language", () => {
    expect(textMatch("ΟΔΟΣ")({ name: "οδος" })).toBe(true);
    expect(textMatch("οδοσ")({ name: "ΟΔΟΣ" })).toBe(true);
    expect(textMatch("ISTANBUL")({ name: "ıstanbul" })).toBe(true);
  });

  test("is found in any text that has its words, in any case", () => {
    const anyText = fc.string({ unit: "grapheme", maxLength: 40 });
    fc.assert(
      fc.property(anyText, fc.nat(20), fc.integer({ min: 1, max: 20 }), (text, from, length) => {
        const words = text
          .split(/\s+/u)
          .slice(from % 3, (from % 3) + length)
          .join(" ");
        expect(textMatch(words)({ description: text.toLowerCase() })).toBe(true);
      }),
    );
  });
});
