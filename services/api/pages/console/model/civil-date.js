// Dates of the proleptic Gregorian calendar as texts, YYYY-MM-DD, which sort in their order.

const DAY_MS = 86_400_000;

/** @param {number} days Days since 1970-01-01. */
const dateOfDays = (days) => new Date(days * DAY_MS).toISOString().slice(0, 10);

/**
 * The number of days since 1970-01-01.
 * @param {string} date
 */
export const daysOf = (date) => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/**
 * @param {string} date
 * @param {number} days
 */
export const addDays = (date, days) => dateOfDays(daysOf(date) + days);

/**
 * The same day of another month, or the last day of that month if it is shorter.
 * @param {string} date
 * @param {number} months
 */
export function addMonths(date, months) {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  const lastDay = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastDay))).toISOString().slice(0, 10);
}

/**
 * The weekday from 1, Monday, to 7.
 * @param {string} date
 */
export const weekdayOf = (date) => ((((daysOf(date) + 3) % 7) + 7) % 7) + 1;

/**
 * The first day of the week with the date.
 * @param {string} date
 * @param {number} firstWeekday 1 for Monday, 7 for Sunday.
 */
export const startOfWeek = (date, firstWeekday) => addDays(date, -((weekdayOf(date) - firstWeekday + 7) % 7));

/**
 * The dates of a view, in their order: whole weeks for a month, seven days for a week, thirty for the agenda.
 * @param {"month" | "week" | "agenda"} view
 * @param {string} date
 * @param {number} firstWeekday
 * @returns {string[]}
 */
export function datesOfView(view, date, firstWeekday) {
  if (view === "agenda") return datesFrom(date, 30);
  if (view === "week") return datesFrom(startOfWeek(date, firstWeekday), 7);
  const first = startOfWeek(`${date.slice(0, 7)}-01`, firstWeekday);
  const next = `${addMonths(date, 1).slice(0, 7)}-01`;
  return datesFrom(first, Math.ceil((daysOf(next) - daysOf(first)) / 7) * 7);
}

/**
 * The date of the view before (-1) or after (1).
 * @param {"month" | "week" | "agenda"} view
 * @param {string} date
 * @param {number} steps
 */
export function stepOfView(view, date, steps) {
  if (view === "month") return addMonths(date, steps);
  return addDays(date, steps * (view === "week" ? 7 : 30));
}

/**
 * @param {string} first
 * @param {number} count
 */
const datesFrom = (first, count) => Array.from({ length: count }, (_, index) => addDays(first, index));
