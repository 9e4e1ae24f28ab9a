import { RequestError } from "../api.js";
import { addDays } from "../model/civil-date.js";
import { isOccurrence, movedTimes, seriesIdOf, stepOfKey, timeFields } from "../model/move-event.js";
import { wallTime } from "../model/zoned-time.js";
import { calendarZone, entryKey, nameOf, timesText } from "./entry-text.js";
import { askConflict } from "./conflict.js";
import { askScope } from "./dialog.js";
import { problemText } from "./save-form.js";

/** @import { CalendarEvent, Entry, Fields } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/**
 * Moves an entry by the keyboard: M begins, the arrow keys move, Enter confirms, Escape cancels. Every step is announced.
 * @param {App} app
 * @param {Entry} entry
 * @param {KeyboardEvent} event
 */
export function onMoveKey(app, entry, event) {
  const { store, t } = app;
  const { move, view } = store.state;
  const isMoving = move !== undefined && entryKey(move.entry) === entryKey(entry);
  if (!isMoving) {
    if (event.key.toLowerCase() !== "m" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    store.update({ move: { entry, days: 0, minutes: 0 } });
    return app.announce(t("move_begun", { name: nameOf(app, entry) }));
  }
  if (move.isSaving === true) {
    // A second Enter would open the event at its former times.
    if (event.key === "Enter" || event.key === " ") event.preventDefault();
    return;
  }
  const step = stepOfKey(event.key, view);
  if (step !== undefined) {
    event.preventDefault();
    showMove(app, { entry: move.entry, days: move.days + step.days, minutes: move.minutes + step.minutes });
  } else if (event.key === "Escape") {
    event.preventDefault();
    store.update({ move: undefined });
    app.announce(t("move_cancelled"));
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    void saveMove(app);
  }
}

/**
 * @param {App} app
 * @param {NonNullable<App["store"]["state"]["move"]>} move
 */
function showMove(app, move) {
  const { calendars, view, date } = app.store.state;
  const zone = calendarZone(calendars, move.entry);
  const moved = { ...move.entry, ...movedTimes(move.entry, move, zone) };
  const { date: start } = wallTime(moved.epoch_start, zone);
  app.store.update({ move });
  // The view follows an entry that leaves it.
  if (view === "month" ? start.slice(0, 7) !== date.slice(0, 7) : start < date || start > addDays(date, 6)) {
    app.open(`calendar/${view}/${start}`);
  }
  app.announce(timesText(app, moved));
}

/**
 * Stores the move that the state has, once. The view shows the new times until the service has confirmed or refused them, and the
 * outcome is announced when the entry can be opened or moved again.
 * @param {App} app
 */
export async function saveMove(app) {
  const { store, t } = app;
  const { move } = store.state;
  if (move === undefined || move.isSaving === true) return;
  const saving = { ...move, isSaving: true };
  store.update({ move: saving });
  let outcome = "";
  try {
    if ((move.days !== 0 || move.minutes !== 0) && (await sendMove(app, move))) outcome = t("moved");
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    outcome = `${t("not_moved")} ${problemText(app, error)}`;
  }
  await app.reload();
  // Another move may have begun.
  if (store.state.move === saving) store.update({ move: undefined });
  if (outcome !== "") app.announce(outcome);
}

/**
 * Sends the new times with the revision of the event. Whether the event was moved.
 * @param {App} app
 * @param {NonNullable<App["store"]["state"]["move"]>} move
 */
async function sendMove(app, { entry, days, minutes }) {
  const { api, t, store } = app;
  const scope = isOccurrence(entry) ? await askScope(t, t("scope_move")) : undefined;
  if (isOccurrence(entry) && scope === undefined) return false;
  const { calendar_number } = entry;
  const zone = calendarZone(store.state.calendars, entry);
  const get = (/** @type {string} */ event_id) => api.send("/v2/events/get", { calendar_number, event_id });
  const { body, etag } = await get(entry.event_id);
  const stored = /** @type {CalendarEvent} */ (/** @type {unknown} */ (body));
  const [was, is] = [timesText(app, entry), timesText(app, { ...stored, calendar_number })];
  if (was !== is) {
    const mine = timesText(app, { ...entry, ...movedTimes(entry, { days, minutes }, zone) });
    const choice = await askConflict(app, [{ label: t("times"), opened: was, stored: is, mine }]);
    if (choice !== "mine") return false;
  }
  const base =
    scope === "all"
      ? /** @type {CalendarEvent} */ (/** @type {unknown} */ ((await get(seriesIdOf(entry.event_id))).body))
      : entry;
  /** @type {Fields} */
  const fields = { calendar_number, event_id: entry.event_id, ...(scope === undefined ? {} : { scope }) };
  await api.send(
    "/v2/events/update",
    { ...fields, ...timeFields(movedTimes(base, { days, minutes }, zone)) },
    { ifMatch: etag },
  );
  return true;
}
