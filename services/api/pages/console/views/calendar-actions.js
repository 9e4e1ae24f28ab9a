import { instantOf } from "../model/zoned-time.js";
import { shownZone } from "../state.js";
import { openNewEvent } from "./event-dialog.js";

/** @import { App } from "../state.js" */

/** An event that is created without a time of day in the view begins at this one. */
const USUAL_START_MINUTES = 19 * 60;

/**
 * Opens the form of a new event on a date.
 * @param {App} app
 * @param {string} date
 * @param {number} [minutes] From midnight.
 */
export function openNewEventAt(app, date, minutes = USUAL_START_MINUTES) {
  openNewEvent(app, instantOf(date, minutes, shownZone(app.store.state)));
}
