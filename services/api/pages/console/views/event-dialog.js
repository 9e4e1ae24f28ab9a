import { newIdempotencyKey, RequestError } from "../api.js";
import { element } from "../element.js";
import {
  areTimesChanged,
  conflictsOf,
  createFields,
  eventValues,
  formTimes,
  updateFields,
} from "../model/event-form.js";
import { TEXT_LIMITS } from "../model/choices.js";
import { isOccurrence, seriesIdOf, timeFields } from "../model/move-event.js";
import { canWrite, shownZone } from "../state.js";
import { pausedTag } from "./announcement-text.js";
import { askConflict } from "./conflict.js";
import { deleteEvent } from "./delete-event.js";
import { openDialog } from "./dialog.js";
import { nameOf, timesText } from "./entry-text.js";
import { eventForm } from "./event-form-view.js";
import { planEffect, showEffectIn } from "./plan-effect.js";
import { problemText, saveForm } from "./save-form.js";

/** @import { EventValues } from "../model/event-form.js" */
/** @import { CalendarEvent, Entry, Fields } from "../model/types.ts" */
/** @import { App } from "../state.js" */

const HOUR_MS = 3_600_000;

/** The texts of an event but its name, which is the title of the dialog. */
const TEXTS_BELOW_NAME = /** @type {Exclude<keyof typeof TEXT_LIMITS, "name">[]} */ (
  Object.keys(TEXT_LIMITS).filter((text) => text !== "name")
);

/**
 * An event as it was read, with its revision.
 * @typedef {{ event: CalendarEvent, etag: string | null }} ReadEvent
 */

/**
 * @param {App} app
 * @param {number} calendar_number
 * @param {string} event_id
 * @returns {Promise<ReadEvent>}
 */
async function readEvent({ api }, calendar_number, event_id) {
  const { body, etag } = await api.send("/v2/events/get", { calendar_number, event_id });
  return { event: /** @type {CalendarEvent} */ (/** @type {unknown} */ (body)), etag };
}

/**
 * Opens an event: its form, or its fields for a key that only reads.
 * @param {App} app
 * @param {Entry} entry
 */
export async function openEventDialog(app, entry) {
  const { calendar_number, event_id } = entry;
  try {
    const read = await readEvent(app, calendar_number, event_id);
    if (canWrite(app)) editEvent(app, calendar_number, read);
    else showEvent(app, { ...read.event, calendar_number });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    app.announce(problemText(app, error));
    if (error.status === 404) await app.reload();
  }
}

/**
 * @param {App} app
 * @param {Entry} entry
 */
function showEvent(app, entry) {
  const { t } = app;
  const texts = TEXTS_BELOW_NAME.map((text) => [t(`value_${text}`), entry[text]]);
  const rows = [[t("times"), timesText(app, entry)], ...texts].filter(([, value]) => value !== undefined);
  openDialog(t, nameOf(app, entry), () => [
    element(
      "dl",
      {},
      rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", { class: "text" }, value)]),
    ),
    pausedTag(app, entry.paused_until),
  ]);
}

/**
 * Opens the form of a new event.
 * @param {App} app
 * @param {number} start Unix milliseconds.
 */
export function openNewEvent(app, start) {
  const { t, store } = app;
  const { calendars, hidden } = store.state;
  const zone = shownZone(store.state);
  const values = eventValues({ epoch_start: start, epoch_end: start + HOUR_MS }, zone);
  const first = calendars.find(({ calendar_number }) => !hidden.includes(calendar_number)) ?? calendars[0];
  const keys = new Map();
  openDialog(t, t("new_event"), (close) => {
    const { form, valuesOf, calendarOf } = eventForm(app, {
      values,
      zone,
      calendar: first?.calendar_number ?? 1,
      isNew: true,
    });
    const fieldsOf = () => ({ calendar_number: calendarOf(), ...createFields(valuesOf(), zone) });
    showEffectIn(form, planEffect(app, "/v2/events/create", fieldsOf));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void saveForm(app, form, async () => {
        const fields = fieldsOf();
        // A repetition after a lost response is the same request: the event is created once.
        const text = JSON.stringify(fields);
        const idempotencyKey = keys.get(text) ?? newIdempotencyKey();
        keys.set(text, idempotencyKey);
        await app.api.send("/v2/events/create", fields, { idempotencyKey });
        close();
        app.announce(t("created"));
        await app.reload();
      });
    });
    return [form];
  });
}

/**
 * @param {App} app
 * @param {number} calendar_number
 * @param {ReadEvent} read
 */
function editEvent(app, calendar_number, read) {
  const { t, store } = app;
  const zone = shownZone(store.state);
  let { event, etag } = read;
  let opened = eventValues(event, zone);
  openDialog(t, nameOf(app, event), (close) => {
    const view = eventForm(app, { values: opened, zone, calendar: calendar_number, isOccurrence: isOccurrence(event) });
    const { form, valuesOf, scopeOf, fill } = view;

    /** The fields of the update; undefined if nothing was changed. */
    const fieldsOf = async () => {
      const changes = updateFields(opened, valuesOf(), zone);
      const scope = scopeOf();
      if (Object.keys(changes).length === 0) return undefined;
      const times = scope === "all" && areTimesChanged(opened, valuesOf()) ? await seriesTimes(valuesOf()) : {};
      const reference = { calendar_number, event_id: event.event_id, ...(scope === undefined ? {} : { scope }) };
      return { ...reference, ...changes, ...times };
    };
    showEffectIn(form, planEffect(app, "/v2/events/update", fieldsOf));

    const save = async () => {
      const fields = await fieldsOf();
      if (fields !== undefined) await app.api.send("/v2/events/update", fields, { ifMatch: etag });
      close();
      app.announce(t("saved"));
      await app.reload();
    };

    /**
     * The times of the whole series, whose first start moves as far as the occurrence does.
     * @param {EventValues} values
     * @returns {Promise<Fields>}
     */
    const seriesTimes = async (values) => {
      const { event: series } = await readEvent(app, calendar_number, seriesIdOf(event.event_id));
      const first = eventValues(series, zone);
      const daysFrom = (/** @type {string} */ from, /** @type {string} */ to) =>
        (Date.parse(to) - Date.parse(from)) / 86_400_000;
      const moved = (/** @type {string} */ date, /** @type {string} */ base, /** @type {string} */ to) =>
        new Date(Date.parse(date) + daysFrom(base, to) * 86_400_000).toISOString().slice(0, 10);
      const startDate = moved(first.startDate, opened.startDate, values.startDate);
      const endDate = moved(startDate, values.startDate, values.endDate);
      return timeFields(formTimes({ ...values, startDate, endDate }, zone));
    };

    const resolveConflict = async () => {
      const stored = await readEvent(app, calendar_number, event.event_id);
      const now = eventValues(stored.event, zone);
      const conflicts = conflictsOf(opened, now, valuesOf()).map(({ name, ...values }) => ({
        label: t(`value_${name}`),
        opened: String(values.opened),
        stored: String(values.stored),
        mine: String(values.mine),
      }));
      const choice = await askConflict(app, conflicts);
      if (choice === undefined) return;
      const mine = valuesOf();
      const before = opened;
      [event, etag, opened] = [stored.event, stored.etag, now];
      // The form's own changes stay on top of the stored state.
      if (choice === "mine") fill(withChanges(now, before, mine));
      else fill(now);
      if (choice === "mine") await saveForm(app, form, save, resolveConflict);
    };

    form.addEventListener("submit", (submitted) => {
      submitted.preventDefault();
      void saveForm(app, form, save, resolveConflict);
    });
    form.querySelector("[data-delete]")?.addEventListener("click", () => {
      void deleteEvent(app, { ...event, calendar_number }, etag).then((isDeleted) => isDeleted && close());
    });
    return [form];
  });
}

/**
 * The stored values with the changes that the form has made.
 * @param {EventValues} stored
 * @param {EventValues} opened
 * @param {EventValues} mine
 * @returns {EventValues}
 */
function withChanges(stored, opened, mine) {
  const changed = Object.entries(mine).filter(
    ([name, value]) => opened[/** @type {keyof EventValues} */ (name)] !== value,
  );
  return { ...stored, ...Object.fromEntries(changed) };
}
