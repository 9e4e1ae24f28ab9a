import { addDays } from "./civil-date.js";
import { wallTime } from "./zoned-time.js";

/** @import { Entry } from "./types.ts" */

/**
 * An entry on one day of a view.
 * @typedef {object} DayEntry
 * @property {Entry} entry
 * @property {boolean} isAllDay Whether it covers the day: an all-day event, or the middle of a long one.
 * @property {boolean} begins Whether it starts on this day.
 * @property {number} from Minutes from midnight of the wall clock.
 * @property {number} to
 */

const DAY_MINUTES = 1440;

/**
 * The first and the last date of an entry, and its times of day. All-day events have the same dates in every zone (D50).
 * @param {Entry} entry
 * @param {string} zone
 */
export function placeOf(entry, zone) {
  if (entry.all_day === true && entry.start_date !== undefined && entry.end_date !== undefined) {
    return { first: entry.start_date, last: addDays(entry.end_date, -1), from: 0, to: DAY_MINUTES };
  }
  const start = wallTime(entry.epoch_start, zone);
  const end = wallTime(entry.epoch_end, zone);
  // An event that ends at midnight does not reach the next day.
  if (end.minutes === 0 && end.date > start.date) {
    return { first: start.date, last: addDays(end.date, -1), from: start.minutes, to: DAY_MINUTES };
  }
  return { first: start.date, last: end.date, from: start.minutes, to: end.minutes };
}

/**
 * The entries of each date, in the order of their times; those of the whole day are first.
 * @param {readonly Entry[]} entries
 * @param {readonly string[]} dates
 * @param {string} zone
 * @returns {Map<string, DayEntry[]>}
 */
export function entriesByDate(entries, dates, zone) {
  /** @type {Map<string, DayEntry[]>} */
  const days = new Map(dates.map((date) => [date, []]));
  const [firstShown = "", lastShown = ""] = [dates[0], dates.at(-1)];
  for (const entry of entries) {
    const { first, last, from, to } = placeOf(entry, zone);
    const end = last < lastShown ? last : lastShown;
    for (let date = first > firstShown ? first : firstShown; date <= end; date = addDays(date, 1)) {
      const [begins, ends] = [date === first, date === last];
      days.get(date)?.push({
        entry,
        begins,
        isAllDay: entry.all_day === true || (!begins && !ends),
        from: begins ? from : 0,
        to: ends ? to : DAY_MINUTES,
      });
    }
  }
  for (const day of days.values()) day.sort(inOrder);
  return days;
}

/**
 * @param {DayEntry} left
 * @param {DayEntry} right
 */
const inOrder = (left, right) =>
  Number(right.isAllDay) - Number(left.isAllDay) ||
  left.from - right.from ||
  right.to - left.to ||
  (left.entry.event_id < right.entry.event_id ? -1 : 1);

/** An entry is shown at least this long, so that its name can be read. */
const MIN_SHOWN_MINUTES = 30;

/**
 * Places the timed entries of a day side by side where they overlap.
 * @param {readonly DayEntry[]} day Sorted as `entriesByDate` sorts them.
 * @returns {{ item: DayEntry, column: number, columns: number }[]}
 */
export function columnsOf(day) {
  /** @type {{ item: DayEntry, column: number, columns: number }[]} */
  const placed = [];
  /** @type {typeof placed} */
  let group = [];
  /** @type {number[]} End of the last entry of each column. */
  let ends = [];
  const closeGroup = () => {
    for (const each of group) each.columns = ends.length;
    placed.push(...group);
    [group, ends] = [[], []];
  };
  for (const item of day.filter(({ isAllDay }) => !isAllDay)) {
    const { from } = item;
    if (ends.every((end) => end <= from)) closeGroup();
    const free = ends.findIndex((end) => end <= from);
    const column = free === -1 ? ends.length : free;
    ends[column] = shownEnd(item);
    group.push({ item, column, columns: 0 });
  }
  closeGroup();
  return placed;
}

/**
 * The end of the entry's box in minutes.
 * @param {DayEntry} item
 */
export const shownEnd = ({ from, to }) => Math.min(Math.max(to, from + MIN_SHOWN_MINUTES), DAY_MINUTES);
