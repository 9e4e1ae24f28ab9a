import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { hexColor, partsOf } from "./discord-markup.js";

const timeText = (seconds: number, style: string) => `${seconds}/${style}`;
const parts = (text: string) => partsOf(text, timeText).map(({ kind, text: inner }) => [kind, inner]);

describe("the markup of a message", () => {
  test("has bold, code, mentions, time stamps and line breaks", () => {
    expect(parts("**Now** <@142> @everyone\n<t:1893783600:F> `x`")).toEqual([
      ["bold", "Now"],
      ["text", " "],
      ["mention", "@142"],
      ["text", " "],
      ["mention", "@everyone"],
      ["break", ""],
      ["time", "1893783600/F"],
      ["text", " "],
      ["code", "x"],
    ]);
  });

  test("a backslash makes a sign a plain one", () => {
    expect(parts(String.raw`\*\*not bold\*\* \<@1>`)).toEqual([["text", "**not bold** <@1>"]]);
  });

  test("tags of HTML are text", () => {
    expect(parts("<img src=x onerror=alert(1)>")).toEqual([["text", "<img src=x onerror=alert(1)>"]]);
  });

  test("no character of a text without markup is lost, and long texts take linear time", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replaceAll(/[\\*_~`<>@\n]/g, "");
        expect(parts(plain)).toEqual(plain === "" ? [] : [["text", plain]]);
      }),
    );
    expect(partsOf("*".repeat(4_000), timeText)).toHaveLength(1);
  });

  test("the color of an embed has six digits", () => {
    expect([hexColor(0x46d6db), hexColor(0xff), hexColor(0)]).toEqual(["#46d6db", "#0000ff", "#000000"]);
  });
});
