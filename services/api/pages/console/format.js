import { wallTime } from "./model/zoned-time.js";
import { WEEKDAYS } from "./model/choices.js";

/** BCP 47 tags of the languages of the console. Posts have more (model/choices.js). */
const LOCALES = { ENGLISH: "en", JAPANESE: "ja", PORTUGUESE: "pt", SPANISH: "es" };

/** @typedef {keyof typeof LOCALES} Language */

export const LANGUAGE_NAMES = /** @type {const} */ ({
  ENGLISH: "English",
  JAPANESE: "日本語",
  PORTUGUESE: "Português",
  SPANISH: "Español",
});

/** @param {Language} language */
export const localeOf = (language) => LOCALES[language];

/**
 * The language whose tag the browser prefers; English otherwise.
 * @param {readonly string[]} preferred
 * @returns {Language}
 */
export function preferredLanguage(preferred) {
  const languages = /** @type {Language[]} */ (Object.keys(LOCALES));
  for (const tag of preferred) {
    const found = languages.find((language) => tag.toLowerCase().split("-")[0] === LOCALES[language]);
    if (found !== undefined) return found;
  }
  return "ENGLISH";
}

/** Dates, times and numbers in one language. */
export class Formats {
  /** @type {Map<string, Intl.DateTimeFormat>} */
  #formats = new Map();

  /** @param {Language} language */
  constructor(language) {
    this.locale = LOCALES[language];
    // The preference of the region, if the browser's language is the same: en-GB has Monday first, en-US Sunday.
    const own = typeof navigator === "undefined" ? [] : navigator.languages;
    this.region = own.find((tag) => tag.toLowerCase().split("-")[0] === this.locale) ?? this.locale;
  }

  /** The first day of the week: 1 for Monday, 7 for Sunday. */
  get firstWeekday() {
    const locale = /** @type {{ getWeekInfo?: () => { firstDay: number }, weekInfo?: { firstDay: number } }} */ (
      /** @type {unknown} */ (new Intl.Locale(this.region))
    );
    return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
  }

  /**
   * The name of a weekday: MO, TU, WE, TH, FR, SA or SU.
   * @param {string} weekday
   */
  weekdayName(weekday) {
    const at = WEEKDAYS.findIndex((each) => each === weekday);
    // 2024 began with a Monday.
    return at === -1 ? weekday : this.weekday(`2024-01-0${1 + at}`, "long");
  }

  /**
   * @param {number} instant
   * @param {string} zone
   */
  time(instant, zone) {
    return this.#of({ timeZone: zone, hour: "numeric", minute: "2-digit" }).format(instant);
  }

  /**
   * A date and a time, with the seconds if they matter.
   * @param {number} instant
   * @param {string} zone
   */
  instant(instant, zone) {
    return this.#of({ timeZone: zone, dateStyle: "full", timeStyle: "medium" }).format(instant);
  }

  /** @param {string} date */
  longDate(date) {
    return this.#of({ timeZone: "UTC", dateStyle: "full" }).format(Date.parse(date));
  }

  /** @param {string} date */
  shortDate(date) {
    return this.#of({ timeZone: "UTC", weekday: "short", day: "numeric", month: "short" }).format(Date.parse(date));
  }

  /** @param {string} date */
  month(date) {
    return this.#of({ timeZone: "UTC", month: "long", year: "numeric" }).format(Date.parse(date));
  }

  /**
   * @param {string} date
   * @param {"short" | "long"} width
   */
  weekday(date, width) {
    return this.#of({ timeZone: "UTC", weekday: width }).format(Date.parse(date));
  }

  /**
   * A time stamp in the style of Discord, such as `F` or `R`.
   * @param {number} instant
   * @param {string} style
   * @param {string} zone
   * @param {number} now
   */
  discordTime(instant, style, zone, now) {
    if (Math.abs(instant) > 8.64e15) return String(instant);
    if (style === "R") return this.relative(instant, now);
    const options = DISCORD_STYLES[/** @type {keyof typeof DISCORD_STYLES} */ (style)] ?? DISCORD_STYLES.f;
    return this.#of({ timeZone: zone, ...options }).format(instant);
  }

  /**
   * @param {number} instant
   * @param {number} now
   */
  relative(instant, now) {
    const minutes = Math.round((instant - now) / 60_000);
    const format = new Intl.RelativeTimeFormat(this.locale, { numeric: "auto" });
    if (Math.abs(minutes) < 60) return format.format(minutes, "minute");
    if (Math.abs(minutes) < 48 * 60) return format.format(Math.round(minutes / 60), "hour");
    return format.format(Math.round(minutes / 1440), "day");
  }

  /**
   * A duration in its largest fitting unit, such as 250 ms or 3.2 s.
   * @param {number} ms
   */
  duration(ms) {
    const [value, unit] =
      ms < 1000 ? [ms, "millisecond"] : ms < 120_000 ? [ms / 1000, "second"] : [ms / 60_000, "minute"];
    return new Intl.NumberFormat(this.locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
  }

  /** @param {Intl.DateTimeFormatOptions} options */
  #of(options) {
    const key = JSON.stringify(options);
    const known = this.#formats.get(key);
    if (known !== undefined) return known;
    const format = new Intl.DateTimeFormat(this.region, options);
    this.#formats.set(key, format);
    return format;
  }
}

/** @type {Readonly<Record<"t" | "T" | "d" | "D" | "f" | "F", Intl.DateTimeFormatOptions>>} */
const DISCORD_STYLES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};

/** @param {string} zone */
export const todayIn = (zone) => wallTime(Date.now(), zone).date;
