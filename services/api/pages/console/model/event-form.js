import { addDays } from "./civil-date.js";
import { clockMinutes, clockText, dateTimeInstant, dateTimeText, instantOf, wallTime } from "./zoned-time.js";
import { timeFields } from "./move-event.js";

/** @import { CalendarEvent, Fields } from "./types.ts" */

/**
 * The values of the event's form, as its inputs have them. The last day of an all-day event is included.
 * @typedef {object} EventValues
 * @property {string} name
 * @property {string} description
 * @property {string} location
 * @property {string} image
 * @property {string} color
 * @property {string} pausedUntil Empty without a pause (D63).
 * @property {boolean} allDay
 * @property {string} startDate
 * @property {string} startTime
 * @property {string} endDate
 * @property {string} endTime
 * @property {string} frequency NONE, a frequency of the API, or RRULE.
 * @property {string} interval
 * @property {string} count Empty for no end.
 * @property {string} rrule
 */

const TEXTS = /** @type {const} */ (["name", "description", "location", "image"]);
const TIMES = /** @type {const} */ (["allDay", "startDate", "startTime", "endDate", "endTime"]);
const RULES = /** @type {const} */ (["frequency", "interval", "count", "rrule"]);

/**
 * The values for an event, or for a new one (with its two times only).
 * @param {Partial<CalendarEvent> & { epoch_start: number, epoch_end: number }} event
 * @param {string} zone
 * @returns {EventValues}
 */
export function eventValues(event, zone) {
  const [start, end] = [wallTime(event.epoch_start, zone), wallTime(event.epoch_end, zone)];
  const { recurrence, all_day = false } = event;
  const { count } = recurrence ?? {};
  return {
    name: event.name ?? "",
    description: event.description ?? "",
    location: event.location ?? "",
    image: event.image ?? "",
    color: event.color ?? "NONE",
    pausedUntil: dateTimeText(event.paused_until, zone),
    allDay: all_day,
    startDate: event.start_date ?? start.date,
    startTime: clockText(start.minutes),
    endDate: event.end_date === undefined ? end.date : addDays(event.end_date, -1),
    endTime: clockText(end.minutes),
    frequency:
      recurrence === undefined ? "NONE" : recurrence.rrule === undefined ? (recurrence.frequency ?? "NONE") : "RRULE",
    interval: String(recurrence?.interval ?? 1),
    count: count === undefined || count === -1 ? "" : String(count),
    rrule: recurrence?.rrule ?? "",
  };
}

/**
 * The times that the form has.
 * @param {EventValues} values
 * @param {string} zone
 */
export function formTimes({ allDay, startDate, startTime, endDate, endTime }, zone) {
  if (allDay) {
    const end = endDate === "" ? "" : addDays(endDate, 1);
    return { epoch_start: 0, epoch_end: 0, start_date: startDate, end_date: end };
  }
  const instant = (/** @type {string} */ date, /** @type {string} */ time) =>
    date === "" || time === "" ? Number.NaN : instantOf(date, clockMinutes(time), zone);
  return { epoch_start: instant(startDate, startTime), epoch_end: instant(endDate, endTime) };
}

/**
 * The fields that a create needs.
 * @param {EventValues} values
 * @param {string} zone
 * @returns {Fields}
 */
export function createFields(values, zone) {
  const texts = TEXTS.filter((name) => values[name] !== "").map((name) => [name, values[name]]);
  return {
    ...Object.fromEntries(texts),
    color: values.color,
    ...(values.pausedUntil === "" ? {} : { paused_until: dateTimeInstant(values.pausedUntil, zone) }),
    ...timeFields(formTimes(values, zone)),
    ...(values.frequency === "NONE" ? {} : { recur: true, recurrence: recurrenceOf(values) }),
  };
}

/**
 * The fields that an update needs: only those that were changed, so that a write of somebody else is not undone. An emptied text
 * is cleared.
 * @param {EventValues} before
 * @param {EventValues} after
 * @param {string} zone
 * @returns {Fields}
 */
export function updateFields(before, after, zone) {
  const texts = TEXTS.filter((name) => before[name] !== after[name]).map((name) => [
    name,
    after[name] === "" ? null : after[name],
  ]);
  return {
    ...Object.fromEntries(texts),
    ...(before.color === after.color ? {} : { color: after.color }),
    ...(before.pausedUntil === after.pausedUntil ? {} : { paused_until: dateTimeInstant(after.pausedUntil, zone) }),
    ...(areTimesChanged(before, after) ? changedTimes(before, after, zone) : {}),
    ...(RULES.some((name) => before[name] !== after[name]) ? ruleFields(after) : {}),
  };
}

/**
 * @param {EventValues} before
 * @param {EventValues} after
 */
export const areTimesChanged = (before, after) => TIMES.some((name) => before[name] !== after[name]);

/**
 * @param {EventValues} before
 * @param {EventValues} after
 * @param {string} zone
 * @returns {Fields}
 */
function changedTimes(before, after, zone) {
  const fields = timeFields(formTimes(after, zone));
  return before.allDay && !after.allDay ? { ...fields, all_day: false } : fields;
}

/**
 * @param {EventValues} values
 * @returns {Fields}
 */
const ruleFields = (values) =>
  values.frequency === "NONE" ? { recur: false } : { recur: true, recurrence: recurrenceOf(values) };

/**
 * @param {EventValues} values
 * @returns {Fields}
 */
function recurrenceOf({ frequency, interval, count, rrule }) {
  if (frequency === "RRULE") return { rrule };
  return { frequency, interval: Number(interval), count: count === "" ? -1 : Number(count) };
}

/**
 * The names of the values that somebody else has changed since the form was opened, with the three states.
 * @param {EventValues} opened
 * @param {EventValues} stored
 * @param {EventValues} mine
 */
export function conflictsOf(opened, stored, mine) {
  const names = /** @type {(keyof EventValues)[]} */ (Object.keys(opened));
  return names
    .filter((name) => stored[name] !== opened[name])
    .map((name) => ({ name, opened: opened[name], stored: stored[name], mine: mine[name] }));
}
