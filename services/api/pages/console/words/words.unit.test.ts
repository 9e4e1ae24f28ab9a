import { describe, expect, test } from "@jest/globals";
import { LANGUAGES } from "../../../../contracts/guild-settings.contract.ts";
import { LANGUAGE_NAMES, localeOf, preferredLanguage } from "../format.js";
import { english } from "./english.js";
import { translator, WORDS } from "./words.js";

const languages = Object.keys(WORDS) as (keyof typeof WORDS)[];
const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).toSorted();

describe("the words of the console", () => {
  test("exist in each language of the console, which are languages of the posts, too", () => {
    expect(Object.keys(LANGUAGE_NAMES).toSorted()).toEqual(languages.toSorted());
    expect(LANGUAGES).toEqual(expect.arrayContaining(languages));
  });

  test.each(languages)("have the same keys and the same places of values as English: %s", (language) => {
    expect(Object.keys(WORDS[language])).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(WORDS[language])) {
      expect([key, text.trim() !== "", placesOf(text)]).toEqual([
        key,
        true,
        placesOf(english[key as keyof typeof english]),
      ]);
    }
  });

  test("values are set as they are, also those that look like places", () => {
    const t = translator("ENGLISH");
    expect(t("delete_title", { name: "{name} $& {count}" })).toBe("Delete {name} $& {count}?");
  });

  test("the browser's preference selects the language, English without a known one", () => {
    expect([preferredLanguage(["fr", "pt-BR"]), preferredLanguage(["ja-JP"]), preferredLanguage([])]).toEqual([
      "PORTUGUESE",
      "JAPANESE",
      "ENGLISH",
    ]);
    for (const language of languages)
      expect(Intl.DateTimeFormat.supportedLocalesOf(localeOf(language))).toHaveLength(1);
  });
});
