import { element } from "../element.js";
import { dateTimeInstant, dateTimeText } from "../model/zoned-time.js";
import { templateTexts, withTemplate } from "../model/template-value.js";
import { canWrite, shownZone } from "../state.js";
import { POST_LANGUAGES } from "../model/choices.js";
import { askConflict } from "./conflict.js";
import { checkbox, field, select, textInput } from "./form-fields.js";
import { planEffect, showEffectIn } from "./plan-effect.js";
import { saveForm, statusLine } from "./save-form.js";

/** @import { Calendar, Fields } from "../model/types.ts" */
/** @import { ApiResponse } from "../api.js" */
/** @import { App } from "../state.js" */
/** @import { Input } from "./form-fields.js" */

/** The settings of v2 (docs/api.md 2.2) in the order of the form; those that only an operator key may change are the last. */
const FLAGS = /** @type {const} */ (["simple_announcements", "twelve_hour"]);
const OPERATOR_FLAGS = /** @type {const} */ (["branded", "external_calendar", "patron_guild", "dev_guild"]);

/**
 * The settings of the guild and of its calendars.
 * @param {App} app
 */
export function settingsPage(app) {
  const { t, store } = app;
  const { settings, calendars } = store.state;
  return [
    element("div", { class: "toolbar" }, element("h1", {}, t("settings"))),
    settings === undefined ? element("p", {}, t("loading")) : settingsForm(app, settings),
    element("h2", {}, t("calendars")),
    calendars.map((calendar) => calendarForm(app, calendar)),
  ];
}

/**
 * @param {App} app
 * @param {Readonly<Record<string, unknown>>} settings
 */
function settingsForm(app, settings) {
  const { t, access } = app;
  const disabled = !canWrite(app);
  const operatorOnly = { disabled: access !== "operator" };
  const languages = Object.entries(POST_LANGUAGES).map(([value, label]) => ({ value, label }));
  const text = (/** @type {string} */ name) =>
    String(/** @type {string | number | undefined} */ (settings[name]) ?? "");
  const inputs = [
    field(t("setting_lang"), select("lang", text("lang"), languages, { disabled })),
    field(t("setting_prefix"), textInput("prefix", { value: text("prefix"), maxlength: 16, disabled })),
    field(
      t("setting_control_role"),
      textInput("control_role", { value: text("control_role"), maxlength: 20, disabled }),
    ),
    ...FLAGS.map((name) => field(t(`setting_${name}`), checkbox(name, settings[name] === true, { disabled }))),
    pauseField(app, settings),
    ...templateFields(app, settings),
    element("p", { class: "hint" }, t("operator_only")),
    field(
      t("setting_max_calendars"),
      textInput("max_calendars", { type: "number", value: text("max_calendars"), min: 1, max: 1000, ...operatorOnly }),
    ),
    ...OPERATOR_FLAGS.map((name) => field(t(`setting_${name}`), checkbox(name, settings[name] === true, operatorOnly))),
  ];
  return form(app, "settings", inputs, settings, {
    path: "/v2/guild/settings/update",
    read: () => app.api.send("/v2/guild/settings/get"),
  });
}

/**
 * @param {App} app
 * @param {Calendar} calendar
 */
function calendarForm(app, calendar) {
  const { t } = app;
  const { calendar_number, name, timezone, paused_until } = calendar;
  const disabled = !canWrite(app);
  const zones = element(
    "datalist",
    { id: `zones-${calendar_number}` },
    Intl.supportedValuesOf("timeZone").map((value) => element("option", { value })),
  );
  const inputs = [
    element("p", { class: "hint" }, t("calendar_number", { number: calendar_number })),
    field(t("calendar_name"), textInput("name", { value: name, maxlength: 100, disabled })),
    field(t("calendar_zone"), textInput("timezone", { value: timezone, list: `zones-${calendar_number}`, disabled })),
    zones,
    pauseField(app, calendar),
  ];
  return form(
    app,
    `calendar ${calendar_number}`,
    inputs,
    { name, timezone, paused_until },
    {
      path: "/v2/calendar/update",
      reference: { calendar_number },
      read: () => app.api.send("/v2/calendar/get", { calendar_number }),
    },
  );
}

/**
 * The end of the pause of the posts (D62, D63), in the zone of the shown times.
 * @param {App} app
 * @param {{ readonly paused_until?: unknown }} paused
 */
function pauseField(app, { paused_until }) {
  const zone = shownZone(app.store.state);
  const value = dateTimeText(typeof paused_until === "number" ? paused_until : undefined, zone);
  const attributes = { type: "datetime-local", value, "data-zone": zone, disabled: !canWrite(app) };
  return field(app.t("value_pausedUntil"), textInput("paused_until", attributes), {
    hint: app.t("paused_until_hint", { zone }),
  });
}

/**
 * The texts of the messages of announcements without a template of their own (D61).
 * @param {App} app
 * @param {Fields} settings
 */
function templateFields(app, settings) {
  const { t } = app;
  const disabled = !canWrite(app);
  const { template_title: value, template_body: body } = templateTexts(settings);
  const text = element("textarea", { name: "template_body", rows: 3, maxlength: 4000, disabled }, body);
  return [
    field(t("setting_template_title"), textInput("template_title", { value, maxlength: 256, disabled }), {
      hint: t("template_hint"),
      name: "template.title",
    }),
    field(t("setting_template_body"), text, { name: "template.body" }),
  ];
}

/**
 * A form that sends its changed values with the revision that it reads right before. What somebody else has changed since the form
 * was filled is shown first, and nothing is sent without a choice.
 * @param {App} app
 * @param {string} key
 * @param {readonly HTMLElement[]} inputs
 * @param {Fields} opened The resource as it was when the form was filled.
 * @param {{ path: string, reference?: Fields, read: () => Promise<ApiResponse> }} resource The endpoint of the update, and the fields
 *   that name the resource.
 */
function form(app, key, inputs, opened, { path, reference = {}, read }) {
  const { t } = app;
  const before = asShown(opened);
  const node = element(
    "form",
    { class: "form panel", novalidate: true, "data-form": key },
    inputs,
    statusLine(),
    canWrite(app)
      ? element(
          "div",
          { class: "actions" },
          element("button", { type: "submit", class: "primary", "data-key": key }, t("save")),
        )
      : null,
  );
  const save = async () => {
    const changes = changedValues(node, before);
    const { body, etag } = await read();
    const conflicts = conflictsIn(node, before, asShown(body));
    const choice = conflicts.length === 0 ? "mine" : await askConflict(app, conflicts);
    if (choice === undefined) return;
    if (choice === "mine" && Object.keys(changes).length > 0) {
      await app.api.send(path, { ...reference, ...withTemplate(changes, body) }, { ifMatch: etag });
      app.announce(t("saved"));
    }
    node.removeAttribute("data-changed");
    await app.reload();
  };
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    void saveForm(app, node, save, save);
  });
  node.addEventListener("input", () => node.setAttribute("data-changed", ""));
  if (canWrite(app)) {
    const changesOf = () => {
      const changes = changedValues(node, before);
      return Object.keys(changes).length === 0 ? undefined : { ...reference, ...withTemplate(changes, opened) };
    };
    showEffectIn(node, planEffect(app, path, changesOf));
  }
  return node;
}

const MINUTE_MS = 60_000;

/**
 * The fields as a form reads them: the pause in whole minutes, null without one, and the texts of the template.
 * @param {Fields} fields
 * @returns {Fields}
 */
const asShown = ({ paused_until, ...fields }) => ({
  ...fields,
  ...templateTexts(fields),
  paused_until: typeof paused_until === "number" ? Math.floor(paused_until / MINUTE_MS) * MINUTE_MS : null,
});

/**
 * The values of the form that somebody else has changed.
 * @param {HTMLFormElement} node
 * @param {Fields} before
 * @param {Fields} stored
 */
const conflictsIn = (node, before, stored) =>
  inputsOf(node)
    .filter(({ name }) => before[name] !== stored[name])
    .map((input) => ({
      label: input.labels?.[0]?.textContent ?? input.name,
      opened: shownValue(input, before[input.name]),
      stored: shownValue(input, stored[input.name]),
      mine: shownValue(input, valueOf(input)),
    }));

/**
 * @param {HTMLFormElement} node
 * @param {Readonly<Record<string, unknown>>} before
 * @returns {Fields}
 */
function changedValues(node, before) {
  const values = inputsOf(node).map((input) => [input.name, valueOf(input)]);
  return Object.fromEntries(values.filter(([name, value]) => before[String(name)] !== value));
}

/** @param {HTMLFormElement} node */
const inputsOf = (node) =>
  [...node.querySelectorAll("input, select, textarea")].filter(
    (input) =>
      input instanceof HTMLInputElement || input instanceof HTMLSelectElement || input instanceof HTMLTextAreaElement,
  );

/**
 * @param {Input} input
 * @param {unknown} value
 */
function shownValue(input, value) {
  const zone = input.getAttribute("data-zone");
  return zone === null ? String(value) : dateTimeText(typeof value === "number" ? value : undefined, zone);
}

/** @param {Input} input */
function valueOf(input) {
  if (input instanceof HTMLInputElement && input.type === "checkbox") return input.checked;
  const zone = input.getAttribute("data-zone");
  if (zone !== null) return dateTimeInstant(input.value, zone);
  return input.type === "number" ? Number(input.value) : input.value;
}
