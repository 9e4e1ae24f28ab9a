import { addDays, daysOf } from "./civil-date.js";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} zone */
function formatOf(zone) {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, format);
  return format;
}

/**
 * Milliseconds by which the wall clock of the zone is ahead of UTC.
 * @param {number} instant Unix milliseconds.
 * @param {string} zone
 */
function offsetAt(instant, zone) {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

/**
 * The date and the time of day that the wall clock of the zone shows.
 * @param {number} instant
 * @param {string} zone
 * @returns {{ date: string, minutes: number }}
 */
export function wallTime(instant, zone) {
  const wall = instant + offsetAt(instant, zone);
  const days = Math.floor(wall / DAY_MS);
  return {
    date: addDays("1970-01-01", days),
    minutes: Math.floor((wall - days * DAY_MS) / MINUTE_MS),
  };
}

/**
 * The instant at which the wall clock shows a date and a time of day. A time that a clock change skips is moved forward by the
 * length of the gap; of a time that comes twice it is the first one (D16).
 * @param {string} date
 * @param {number} minutes From midnight; may be negative or beyond the day.
 * @param {string} zone
 */
export function instantOf(date, minutes, zone) {
  const wall = daysOf(date) * DAY_MS + minutes * MINUTE_MS;
  const before = offsetAt(wall - DAY_MS, zone);
  const after = offsetAt(wall + DAY_MS, zone);
  const first = wall - before;
  if (offsetAt(first, zone) === before) return first;
  const second = wall - after;
  return offsetAt(second, zone) === after ? second : first;
}

/**
 * @param {number | undefined} instant
 * @param {string} zone
 * @returns {string} YYYY-MM-DDTHH:MM, as `<input type="datetime-local">` has it; empty without an instant.
 */
export function dateTimeText(instant, zone) {
  if (instant === undefined) return "";
  const { date, minutes } = wallTime(instant, zone);
  return `${date}T${clockText(minutes)}`;
}

/**
 * The instant of a date and a time of day in the zone.
 * @param {string} text As `dateTimeText` returns it.
 * @param {string} zone
 * @returns {number | null} Null for an empty text; NaN for another one without a date and a time.
 */
export function dateTimeInstant(text, zone) {
  if (text === "") return null;
  const [date = "", time = ""] = text.split("T");
  return instantOf(date, clockMinutes(time), zone);
}

/**
 * Whether the runtime knows the zone.
 * @param {string} zone
 */
export function isKnownZone(zone) {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {number} minutes
 * @returns {string} HH:MM, as `<input type="time">` has it.
 */
export const clockText = (minutes) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

/**
 * @param {string} text HH:MM
 * @returns {number} Minutes from midnight; NaN for another text.
 */
export function clockMinutes(text) {
  const [, hours, minutes] = /^(\d{2}):(\d{2})/.exec(text) ?? [];
  return Number(hours) * 60 + Number(minutes);
}
