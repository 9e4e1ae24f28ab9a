import { describe, expect, test } from "@jest/globals";
import type { ValidationRuleObject } from "fastest-validator";
import { paramsCheck } from "../../mixins/actions/check-params.ts";
import { httpUrl } from "./field-rules.ts";
import { updateGuildSettings } from "./guild-settings.contract.ts";

const codesOf = (rule: ValidationRuleObject, value: unknown) =>
  paramsCheck({ params: { value: rule } })({ value }).map(({ code }) => code);

describe("an image's URL (D21)", () => {
  test.each([
    "",
    "http://a",
    "https://example.org/a.png?b=c#d",
    "HTTPS://EXAMPLE.ORG",
    "https://例え.jp/絵",
    "http://[::1]:8080/x",
    "https://user@example.org",
  ])("%j is accepted", (url) => {
    expect(codesOf(httpUrl, url)).toEqual([]);
  });

  // The second column: the result of a URL parser, which accepts the text.
  test.each([
    ["https:a.b", "https://a.b/"],
    ["https:/a.b", "https://a.b/"],
    ["https:///a.b", "https://a.b/"],
    ["https:\\\\a.b", "https://a.b/"],
    ["https://\\a.b", "https://a.b/"],
    [" https://a.b ", "https://a.b/"],
    ["https://a.b/\n", "https://a.b/"],
    ["http://a\t.b", "http://a.b/"],
    ["https://a.b/c d", "https://a.b/c%20d"],
    ["https://a.b/\u0000", "https://a.b/"],
    ["https://a.b/\u2028", "https://a.b/%E2%80%A8"],
  ])("%j is refused, though it parses as %s", (url, parsed) => {
    expect(new URL(url).href).toBe(parsed);
    expect(codesOf(httpUrl, url)).toEqual(["MALFORMED"]);
  });

  test.each(["http://", "https://?a", "https://a b", "https://:80", "ftp://a.b", "javascript:alert(1)", "//a.b", "x"])(
    "%j is refused",
    (url) => {
      expect(codesOf(httpUrl, url)).toEqual(["MALFORMED"]);
    },
  );
});

describe("a prefix (D10)", () => {
  const prefix = updateGuildSettings.params["prefix"] as ValidationRuleObject;

  test.each(["!", "é", "\u{1f600}".repeat(16), "g!cal"])("%j is accepted", (text) => {
    expect(codesOf(prefix, text)).toEqual([]);
  });

  test.each([
    ["nothing", ""],
    ["a space", "a b"],
    ["a no-break space", "a\u00a0"],
    ["a line separator", "\u2028"],
    ["a control character", "!\u0000"],
    ["an escape", "\u001b[31m"],
    ["a zero-width space", "!\u200b"],
    ["a mark that turns the text around", "\u202e!"],
    ["a byte order mark", "\ufeff!"],
    ["half a character", "\ud83d"],
  ])("%s is refused", (_what, text) => {
    expect(codesOf(prefix, text)).toEqual(["MALFORMED"]);
  });

  test("17 characters are too long", () => {
    expect(codesOf(prefix, "x".repeat(17))).toEqual(["TOO_LONG"]);
  });
});
