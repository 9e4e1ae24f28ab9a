import { addDays } from "./civil-date.js";
import { instantOf, wallTime } from "./zoned-time.js";

/** @import { CalendarEvent, Fields } from "./types.ts" */

/** Times of day snap to this many minutes. */
const STEP_MINUTES = 15;

/**
 * The times of an event that is moved by days and minutes of the wall clock. Its duration stays, also over a clock change. An
 * all-day event moves by whole days.
 * @param {CalendarEvent} event
 * @param {{ days: number, minutes: number }} by
 * @param {string} zone
 * @returns {{ epoch_start: number, epoch_end: number, start_date?: string, end_date?: string }}
 */
export function movedTimes(event, { days, minutes }, zone) {
  const start = wallTime(event.epoch_start, zone);
  const { start_date: first, end_date: end } = event;
  const isAllDay = event.all_day === true && first !== undefined && end !== undefined;
  const seconds = event.epoch_start % 60_000;
  const isUnmoved = days === 0 && (isAllDay || minutes === 0);
  const epochStart = isUnmoved
    ? event.epoch_start
    : instantOf(addDays(start.date, days), start.minutes + (isAllDay ? 0 : minutes), zone) + seconds;
  return {
    epoch_start: epochStart,
    epoch_end: epochStart + event.epoch_end - event.epoch_start,
    ...(isAllDay ? { start_date: addDays(first, days), end_date: addDays(end, days) } : {}),
  };
}

/**
 * The fields of `/v2/events/update` for these times. The dates of an all-day event are its times.
 * @param {ReturnType<typeof movedTimes>} times
 * @returns {Fields}
 */
export function timeFields({ epoch_start, epoch_end, start_date, end_date }) {
  return start_date === undefined ? { epoch_start, epoch_end } : { all_day: true, start_date, end_date };
}

/**
 * The days and minutes from one place of a view to another, as a pointer drags an entry.
 * @param {{ date: string, minutes: number }} from
 * @param {{ date: string, minutes: number }} to
 */
export function distance(from, to) {
  const days = (Date.parse(to.date) - Date.parse(from.date)) / 86_400_000;
  return { days, minutes: Math.round((to.minutes - from.minutes) / STEP_MINUTES) * STEP_MINUTES };
}

/**
 * The days and minutes that an arrow key moves an entry by; undefined for other keys.
 * @param {string} key
 * @param {"month" | "week" | "agenda"} view
 */
export function stepOfKey(key, view) {
  const upAndDown =
    view === "week" ? { days: 0, minutes: STEP_MINUTES } : { days: view === "month" ? 7 : 1, minutes: 0 };
  const steps = {
    ArrowLeft: { days: -1, minutes: 0 },
    ArrowRight: { days: 1, minutes: 0 },
    ArrowUp: { days: 0 - upAndDown.days, minutes: 0 - upAndDown.minutes },
    ArrowDown: upAndDown,
  };
  return Object.hasOwn(steps, key) ? steps[/** @type {keyof typeof steps} */ (key)] : undefined;
}

/** @param {string} eventId */
export const seriesIdOf = (eventId) => eventId.split("_")[0] ?? eventId;

/** @param {{ event_id: string }} event */
export const isOccurrence = ({ event_id }) => event_id.includes("_");
