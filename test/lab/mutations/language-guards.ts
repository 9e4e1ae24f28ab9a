import type { TestedGuard } from "./guard.ts";

const formats = { testFile: "test/languages/cldr-formats.unit.test.ts" };
const words = { ...formats, file: "services/dispatch/domain/message/words/cldr-words.ts" };
const golden = {
  testFile: "services/dispatch/domain/message/golden-languages.unit.test.ts",
  test: "messages of the languages with formats of CLDR are rendered as in golden-languages.md",
};

/** Guards of the languages of posts (D70). */
export const LANGUAGE_GUARDS: readonly TestedGuard[] = [
  {
    ...words,
    guard: "a number has the form of its plural category",
    in: "cldrWords",
    code: "$FORMS[$CATEGORY] ?? $FORMS.other",
    without: "$FORMS.other",
    test: "give each number of hours and minutes the form of its plural",
  },
  {
    ...words,
    ...golden,
    guard: "a plural category without a form of its own has that of the others",
    in: "cldrWords",
    code: "$FORMS[$CATEGORY] ?? $FORMS.other",
    without: "$FORMS[$CATEGORY]",
  },
  {
    ...words,
    ...golden,
    guard: "an event of two days in Swedish lasts two days, not two periods of 24 hours",
    in: "cldrWords",
    code: "$DAYS === undefined ? $UNITS : $_",
    without: "$UNITS",
  },
  {
    ...formats,
    file: "test/languages/cldr-formats.ts",
    guard: "the year is that of the Gregorian calendar in every language",
    words: "-u-ca-gregory-nu-latn",
    without: "",
    test: "are those of the pinned Node",
  },
  {
    file: "services/launch/cli/discal/map-settings.ts",
    guard: "traditional Chinese of DisCal is not simplified Chinese",
    in: "languageOf",
    code: "TRADITIONAL.test($_)",
    without: "false",
    testFile: "services/launch/cli/discal/map-rows.unit.test.ts",
    test: "have each language of the posts by its tag or its English name",
  },
];
