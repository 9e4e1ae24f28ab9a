import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { truncate, visibleText } from "./truncate-text.ts";

describe("truncating a text", () => {
  test("leaves a text that fits unchanged", () => {
    expect(truncate("abc", 3)).toBe("abc");
  });

  test("ends a longer text with an ellipsis within the limit", () => {
    expect(truncate("abcd", 3)).toBe("ab…");
  });

  test("keeps or removes a grapheme of several code points as a whole", () => {
    expect(truncate("x👩‍👩‍👧‍👦yz", 12)).toBe("x…");
    expect(truncate("xy👩‍👩‍👧‍👦", 12)).toBe("xy…");
  });

  test("cuts an extremely long grapheme inside, never inside a code point", () => {
    const pile = `a${"\u{1d167}".repeat(200)}`;
    const short = truncate(pile, 101);
    expect(short.length).toBeGreaterThan(90);
    expect(short.isWellFormed()).toBe(true);
  });

  test('returns "" without room', () => {
    expect(truncate("abc", 0)).toBe("");
    expect(truncate("abc", -5)).toBe("");
  });

  test("makes any text fit, keeps its beginning, and keeps it well-formed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (text, most) => {
        const wellFormed = text.toWellFormed();
        const short = truncate(wellFormed, most);
        expect(short.length).toBeLessThanOrEqual(most);
        expect(short.isWellFormed()).toBe(true);
        expect(wellFormed.startsWith(short.replace(/…$/, ""))).toBe(true);
      }),
    );
  });
});

describe("the visible text", () => {
  test.each(["", " \n\t", "\u200b\u200d", "\u202e", "\u0000\u001c", "\u00a0\u3000", "\ufeff"])(
    "of %j is empty",
    (text) => {
      expect(visibleText(text)).toBe("");
    },
  );

  test("has the replacement character for a lone surrogate", () => {
    expect(visibleText(" a\ud800 ")).toBe("a\ufffd");
  });

  test("of an absent text is empty", () => {
    expect(visibleText(undefined)).toBe("");
  });
});
