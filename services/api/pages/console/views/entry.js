import { element } from "../element.js";
import { movedTimes } from "../model/move-event.js";
import { canWrite, shownZone } from "../state.js";
import { beginDrag } from "./drag.js";
import { calendarZone, entryKey, entryLabel, nameOf } from "./entry-text.js";
import { openEventDialog } from "./event-dialog.js";
import { onMoveKey } from "./move-entry.js";

/** @import { DayEntry } from "../model/calendar-layout.js" */
/** @import { App } from "../state.js" */

/**
 * The button of an entry in a view. It opens the event; it can be dragged, and moved by the keyboard after M.
 * @param {App} app
 * @param {DayEntry} item
 * @param {string} date
 */
export function entryButton(app, { entry, begins, isAllDay, from }, date) {
  const { state } = app.store;
  const isMoving = state.move !== undefined && entryKey(state.move.entry) === entryKey(entry);
  const mayMove = canWrite(app);
  const time = isAllDay || !begins ? "" : app.format.time(entry.epoch_start, shownZone(state));
  return element(
    "button",
    {
      type: "button",
      class: `entry color-${entry.color.toLowerCase()}${isMoving ? " moving" : ""}${isAllDay ? " all-day" : ""}`,
      // An entry of several days has a button on each: only the first is its key.
      "data-key": begins ? entryKey(entry) : undefined,
      "data-entry": entry.event_id,
      // The label begins with the visible text (WCAG 2.5.3).
      "aria-label": `${time} ${entryLabel(app, entry)}`.trim(),
      "aria-describedby": mayMove ? "move-hint" : undefined,
      onclick: () => void openEventDialog(app, entry),
      onkeydown: mayMove ? (/** @type {KeyboardEvent} */ event) => onMoveKey(app, entry, event) : undefined,
      onpointerdown: mayMove
        ? (/** @type {PointerEvent} */ event) => beginDrag(app, entry, { date, minutes: from }, event)
        : undefined,
    },
    time === "" ? null : element("span", { class: "entry-time" }, time),
    // Between the words for programs that read them: a flex container shows no blank.
    " ",
    element("span", { class: "entry-name" }, nameOf(app, entry)),
    entry.recur ? element("span", { class: "entry-sign", "aria-hidden": "true" }, "↻") : null,
  );
}

/**
 * The entries of the view, with the tentative times of the one that is being moved.
 * @param {App} app
 */
export function shownEntries({ store }) {
  const { entries, move, calendars } = store.state;
  if (move === undefined) return entries;
  const key = entryKey(move.entry);
  const zone = calendarZone(calendars, move.entry);
  const moved = { ...move.entry, ...movedTimes(move.entry, move, zone) };
  return [...entries.filter((each) => entryKey(each) !== key), moved];
}
