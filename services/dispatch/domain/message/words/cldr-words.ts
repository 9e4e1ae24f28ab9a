import type { CldrFormat, UnitForms } from "./cldr-format.ts";
import {
  type AnnouncementWords,
  type Duration,
  durationParts,
  hourOfTwelve,
  type Terms,
  termWords,
  type TimeOfDay,
  twoDigits,
} from "./message-words.ts";

/** The terms of a language, and what its messages have in place of a format of CLDR. */
export interface CldrTerms extends Terms {
  /** The place of date and time. A line that ends with a second time needs the date first. */
  readonly dateTime?: string;
  /** The unit of days: CLDR has a word for 24 hours in some languages, in which an event lasts another word for days. */
  readonly days?: UnitForms;
}

/** The words of a language from its terms and the formats of CLDR (D70). */
export function cldrWords(format: CldrFormat, { dateTime = format.dateTime, days, ...terms }: CldrTerms) {
  const units = days === undefined ? format.units : { ...format.units, days };
  const categories = new Intl.PluralRules(format.locale);
  const shown = (count: number, unit: keyof Duration) => {
    const forms = units[unit];
    return `${count}${forms[categories.select(count)] ?? forms.other}`;
  };
  const words: AnnouncementWords = {
    ...termWords(terms),
    weekdays: format.weekdays,
    months: format.months,
    date: ({ year, day }, weekday, month) =>
      fill(format.date, { EEEE: weekday, d: String(day), dd: twoDigits(day), MMMM: month, y: String(year) }),
    time12: (time) => fill(time.hour < 12 ? format.beforeNoon : format.afterNoon, timeFields(time)),
    time24: (time) => fill(format.time24, timeFields(time)),
    dateTime: (date, time) => fill(dateTime, { date, time }),
    duration: (time) => joined(durationParts(time, shown), format.list),
  };
  return words;
}

/** The fields of a time, by their names in CLDR. */
function timeFields({ hour, minute }: TimeOfDay): Readonly<Record<string, string>> {
  const twelve = hourOfTwelve(hour);
  return {
    h: String(twelve),
    hh: twoDigits(twelve),
    H: String(hour),
    HH: twoDigits(hour),
    mm: twoDigits(minute),
  };
}

/** Replaces each field in braces. A value is not read for fields. */
function fill(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (field, name: string) => values[name] ?? field);
}

function joined(parts: readonly string[], { two, middle, last }: CldrFormat["list"]): string {
  const [first = "", second, third] = parts;
  if (second === undefined) return first;
  return third === undefined ? first + two + second : first + middle + second + last + third;
}
