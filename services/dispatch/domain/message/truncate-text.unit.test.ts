import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { truncate, visibleText } from "./truncate-text.ts";

describe("cutting a text", () => {
  test("a text that fits is left as it is", () => {
    expect(truncate("abc", 3)).toBe("abc");
  });

  test("a longer one ends with an ellipsis, inside the limit", () => {
    expect(truncate("abcd", 3)).toBe("ab…");
  });

  test("a character of several code points is kept whole or left out whole", () => {
    expect(truncate("x👩‍👩‍👧‍👦yz", 12)).toBe("x…");
    expect(truncate("xy👩‍👩‍👧‍👦", 12)).toBe("xy…");
  });

  test("letters piled up without end are cut inside, never inside a code point", () => {
    const pile = `a${"\u{1d167}".repeat(200)}`;
    const short = truncate(pile, 101);
    expect(short.length).toBeGreaterThan(90);
    expect(short.isWellFormed()).toBe(true);
  });

  test("no room gives no text", () => {
    expect(truncate("abc", 0)).toBe("");
    expect(truncate("abc", -5)).toBe("");
  });

  test("any text fits afterwards, keeps its beginning, and stays well formed", () => {
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

describe("a text as it can be shown", () => {
  test.each(["", " \n\t", "\u200b\u200d", "\u202e", "\u0000\u001c", "\u00a0\u3000", "\ufeff"])(
    "%j has nothing to see",
    (text) => {
      expect(visibleText(text)).toBe("");
    },
  );

  test("half a pair of surrogates becomes the replacement character", () => {
    expect(visibleText(" a\ud800 ")).toBe("a\ufffd");
  });

  test("an absent text is empty", () => {
    expect(visibleText(undefined)).toBe("");
  });
});
