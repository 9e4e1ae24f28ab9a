import type { CldrFormat, CldrLanguage, UnitForms } from "../../services/dispatch/domain/message/words/cldr-format.ts";

/** The BCP 47 tags of the languages whose formats are generated (D70). */
export const CLDR_LOCALES: Readonly<Record<CldrLanguage, string>> = {
  BULGARIAN: "bg",
  CHINESE_SIMPLIFIED: "zh-Hans",
  CHINESE_TRADITIONAL: "zh-Hant",
  CROATIAN: "hr",
  CZECH: "cs",
  DANISH: "da",
  DUTCH: "nl",
  FINNISH: "fi",
  FRENCH: "fr",
  GERMAN: "de",
  GREEK: "el",
  HINDI: "hi",
  HUNGARIAN: "hu",
  INDONESIAN: "id",
  ITALIAN: "it",
  KOREAN: "ko",
  LITHUANIAN: "lt",
  NORWEGIAN: "nb",
  POLISH: "pl",
  ROMANIAN: "ro",
  RUSSIAN: "ru",
  SWEDISH: "sv",
  THAI: "th",
  TURKISH: "tr",
  UKRAINIAN: "uk",
  VIETNAMESE: "vi",
};

/** The options of the three formats: years of the Gregorian calendar and the digits 0 to 9 in every language. */
export const fullDate = (locale: string) => new Intl.DateTimeFormat(gregorian(locale), { ...UTC, dateStyle: "full" });
export const time24 = (locale: string) =>
  new Intl.DateTimeFormat(gregorian(locale), { ...UTC, timeStyle: "short", hourCycle: "h23" });
export const time12 = (locale: string) =>
  new Intl.DateTimeFormat(gregorian(locale), { ...UTC, hour: "numeric", minute: "2-digit", hourCycle: "h12" });

const UTC = { timeZone: "UTC" } as const;
const gregorian = (locale: string) => `${locale}-u-ca-gregory-nu-latn`;

/** 2026-11-02, a Monday, at 8:05: the day and the hour have one digit, so that a pattern with two is recognized. */
const MONDAY = Date.UTC(2026, 10, 2, 8, 5);
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** The formats of a locale by the CLDR data of this process. */
export function cldrFormat(locale: string): CldrFormat {
  const date = fullDate(locale);
  const weekday = (at: number) => partOf(date, "weekday", MONDAY + at * DAY_MS);
  const month = (at: number) => partOf(date, "month", Date.UTC(2026, at, 2));
  return {
    locale,
    weekdays: [weekday(0), weekday(1), weekday(2), weekday(3), weekday(4), weekday(5), weekday(6)],
    months: [
      ...([month(0), month(1), month(2), month(3), month(4), month(5)] as const),
      ...([month(6), month(7), month(8), month(9), month(10), month(11)] as const),
    ],
    date: pattern(date, MONDAY, { weekday: "EEEE", month: "MMMM", day: "d", year: "y" }),
    dateTime: dateTimePattern(locale),
    time24: pattern(time24(locale), MONDAY, { hour: "H", minute: "mm" }),
    beforeNoon: pattern(time12(locale), MONDAY, { hour: "h", minute: "mm" }),
    afterNoon: pattern(time12(locale), MONDAY + 12 * HOUR_MS, { hour: "h", minute: "mm" }),
    units: { days: unitForms(locale, "day"), hours: unitForms(locale, "hour"), minutes: unitForms(locale, "minute") },
    list: listSeparators(locale),
  };
}

function partOf(format: Intl.DateTimeFormat, type: Intl.DateTimeFormatPartTypes, at: number): string {
  return format.formatToParts(at).find((part) => part.type === type)?.value ?? "";
}

type FieldNames = { readonly [Type in Intl.DateTimeFormatPartTypes]?: string };

/** The text of a format with the fields of CLDR in place of the given parts. Other parts, such as an era, are text. */
function pattern(format: Intl.DateTimeFormat, at: number, fields: FieldNames): string {
  const shown = ({ type, value }: Intl.DateTimeFormatPart) => {
    const field = fields[type];
    if (field === undefined) return value;
    return field.length === 1 && /^0\d$/.test(value) ? `{${field}${field}}` : `{${field}}`;
  };
  return withSpaces(format.formatToParts(at).map(shown).join(""));
}

/** `format` of Node has a space in place of the narrow one without a break; `formatToParts` does not. */
const withSpaces = (text: string) => text.replaceAll("\u202f", " ");

/**
 * The place of date and time in the format of medium length. That of full length has a preposition, such as “at”, which does not
 * suit a line that ends with a second time. A language with the time first needs a pattern of its own.
 */
function dateTimePattern(locale: string): string {
  const partsOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(gregorian(locale), { ...UTC, dateStyle: "medium", ...options }).formatToParts(MONDAY);
  const parts = partsOf({ timeStyle: "short", hourCycle: "h23" });
  const valueAt = (index: number) => parts.at(index)?.value ?? "";
  const hourAt = parts.findIndex(({ type }) => type === "hour");
  if (hourAt === 0) return `{time}${valueAt(parts.findIndex(({ type }) => type === "minute") + 1)}{date}`;
  const between = valueAt(hourAt - 1);
  const ofDate = partsOf({}).at(-1);
  const ofDateText = ofDate?.type === "literal" && between.startsWith(ofDate.value) ? ofDate.value : "";
  return `{date}${between.slice(ofDateText.length)}{time}`;
}

/** Whole numbers of every plural category of the languages: Romanian needs 20, French a million. */
const COUNTS = [0, 1, 2, 3, 5, 11, 20, 21, 100, 1_000_000];

/** The text after a number in each plural category that a whole number has. */
function unitForms(locale: string, unit: "day" | "hour" | "minute"): UnitForms {
  const format = new Intl.NumberFormat(gregorian(locale), {
    style: "unit",
    unit,
    unitDisplay: "long",
    useGrouping: false,
  });
  const plural = new Intl.PluralRules(locale);
  const textAfter = (count: number) => {
    const shown = format.formatToParts(count);
    if (shown[0]?.type !== "integer")
      throw new Error(`${locale} does not begin with the number: ${format.format(count)}`);
    return shown
      .filter(({ type }) => type === "literal" || type === "unit")
      .map(({ value }) => value)
      .join("");
  };
  const forms = Object.fromEntries(COUNTS.map((count) => [plural.select(count), textAfter(count)]));
  // In some languages, such as Polish, only fractions have the category `other`.
  const { other = textAfter(1.5), ...rest } = forms;
  return { ...Object.fromEntries(Object.entries(rest).filter(([, text]) => text !== other)), other };
}

function listSeparators(locale: string): CldrFormat["list"] {
  const format = new Intl.ListFormat(gregorian(locale), { type: "unit", style: "long" });
  const literals = (...parts: string[]) =>
    format
      .formatToParts(parts)
      .filter(({ type }) => type === "literal")
      .map(({ value }) => value);
  const [two = ""] = literals("A", "B");
  const [middle = "", last = ""] = literals("A", "B", "C");
  return { two, middle, last };
}
