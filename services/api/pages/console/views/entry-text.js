import { placeOf } from "../model/calendar-layout.js";
import { shownZone } from "../state.js";

/** @import { Entry } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/** @param {Entry} entry */
export const entryKey = ({ calendar_number, event_id }) => `entry ${calendar_number} ${event_id}`;

/**
 * @param {App} app
 * @param {{ name?: string }} event
 */
export const nameOf = ({ t }, { name = "" }) => (name === "" ? t("no_name") : name);

/**
 * All that the entry is, in words.
 * @param {App} app
 * @param {Entry} entry
 */
export function entryLabel(app, entry) {
  const { t, store } = app;
  const { calendars } = store.state;
  const calendar = calendars.find(({ calendar_number }) => calendar_number === entry.calendar_number);
  return [
    nameOf(app, entry),
    timesText(app, entry),
    entry.recur ? t("recurring") : "",
    calendars.length > 1 ? (calendar?.name ?? "") : "",
  ]
    .filter((text) => text !== "")
    .join(", ");
}

/**
 * The times of an event in the shown zone.
 * @param {App} app
 * @param {Entry} entry
 */
export function timesText({ format, store, t }, entry) {
  const zone = shownZone(store.state);
  const { first, last } = placeOf(entry, zone);
  if (entry.all_day === true) {
    const dates = first === last ? format.longDate(first) : `${format.longDate(first)} – ${format.longDate(last)}`;
    return `${dates}, ${t("all_day")}`;
  }
  const [start, end] = [format.time(entry.epoch_start, zone), format.time(entry.epoch_end, zone)];
  return first === last
    ? `${format.longDate(first)}, ${start} – ${end}`
    : `${format.longDate(first)}, ${start} – ${format.longDate(last)}, ${end}`;
}

/**
 * The zone of an entry's calendar, on whose wall clock it moves.
 * @param {readonly { calendar_number: number, timezone: string }[]} calendars
 * @param {Entry} entry
 */
export const calendarZone = (calendars, { calendar_number }) =>
  calendars.find((each) => each.calendar_number === calendar_number)?.timezone ?? "UTC";
