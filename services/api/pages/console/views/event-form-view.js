import { element } from "../element.js";
import { COLORS, colorName, FREQUENCIES, TEXT_LIMITS } from "../model/choices.js";
import { checkbox, field, fieldset, fillInputs, readInputs, select, textInput } from "./form-fields.js";
import { statusLine } from "./save-form.js";

/** @import { EventValues } from "../model/event-form.js" */
/** @import { App } from "../state.js" */

/**
 * @typedef {object} EventFormOptions
 * @property {EventValues} values
 * @property {string} zone
 * @property {number} calendar
 * @property {boolean} [isNew]
 * @property {boolean} [isOccurrence]
 */

/**
 * The form of an event. `fill` sets the values again; `scopeOf` is undefined for an event that is no occurrence.
 * @param {App} app
 * @param {EventFormOptions} options
 */
export function eventForm(app, { values, zone, calendar, isNew = false, isOccurrence = false }) {
  const { t } = app;
  const inputs = eventInputs(app);
  const calendars = app.store.state.calendars.map(({ calendar_number, name }) => ({
    value: String(calendar_number),
    label: name,
  }));
  const calendarInput = select("calendar_number", String(calendar), calendars, { disabled: !isNew });
  const times = element(
    "div",
    { class: "row" },
    field(t("value_startTime"), inputs.startTime, { name: "epoch_start" }),
    field(t("value_endTime"), inputs.endTime, { name: "epoch_end" }),
  );
  const rule = fieldset(
    t("repeats"),
    field(t("value_frequency"), inputs.frequency, { name: "recur" }),
    element(
      "div",
      { class: "row", "data-rule": "members" },
      field(t("value_interval"), inputs.interval, { name: "recurrence" }),
      field(t("value_count"), inputs.count, { hint: t("count_hint") }),
    ),
    element("div", { "data-rule": "text" }, field(t("value_rrule"), inputs.rrule, { hint: t("rrule_hint") })),
  );
  const paused = field(t("value_pausedUntil"), inputs.pausedUntil, {
    name: "paused_until",
    hint: t("paused_until_hint", { zone }),
  });
  const scope = isOccurrence ? scopeField(app) : undefined;
  const form = element(
    "form",
    { class: "form", novalidate: true },
    scope,
    field(t("value_name"), inputs.name),
    calendars.length > 1 ? field(t("calendar"), calendarInput) : null,
    field(t("value_allDay"), inputs.allDay),
    element(
      "div",
      { class: "row" },
      field(t("value_startDate"), inputs.startDate, { name: "start_date" }),
      field(t("value_endDate"), inputs.endDate, { name: "end_date" }),
    ),
    times,
    element("p", { class: "hint" }, t("times_in", { zone })),
    field(t("value_location"), inputs.location),
    field(t("value_description"), inputs.description),
    field(t("value_color"), inputs.color),
    field(t("value_image"), inputs.image),
    paused,
    rule,
    statusLine(),
    element(
      "div",
      { class: "actions" },
      element("button", { type: "submit", class: "primary" }, t(isNew ? "create" : "save")),
      isNew ? null : element("button", { type: "button", class: "danger", "data-delete": true }, t("delete")),
    ),
  );
  const scopeOf = () =>
    /** @type {"this" | "following" | "all" | undefined} */ (
      form.querySelector('input[name="scope"]:checked')?.getAttribute("value") ?? undefined
    );
  const showParts = () => {
    times.hidden = inputs.allDay.checked;
    // An occurrence has no rule and no pause of its own (D51, D63).
    rule.hidden = scopeOf() === "this";
    paused.hidden = scopeOf() === "this";
    for (const part of rule.querySelectorAll("[data-rule]")) {
      const isText = part.getAttribute("data-rule") === "text";
      const { value } = inputs.frequency;
      if (part instanceof HTMLElement) part.hidden = isText ? value !== "RRULE" : value === "RRULE" || value === "NONE";
    }
  };
  const fill = (/** @type {EventValues} */ shown) => {
    fillInputs(inputs, shown);
    showParts();
  };
  form.addEventListener("change", showParts);
  fill(values);
  return {
    form,
    fill,
    scopeOf,
    valuesOf: () => /** @type {EventValues} */ (readInputs(inputs)),
    calendarOf: () => Number(calendarInput.value),
  };
}

/**
 * One input for each value of the form.
 * @param {App} app
 */
function eventInputs({ t }) {
  const frequencies = /** @type {const} */ (["NONE", ...FREQUENCIES, "RRULE"]).map((value) => ({
    value,
    label: t(`frequency_${value}`),
  }));
  const colors = COLORS.map((value) => ({ value, label: value === "NONE" ? t("no_color") : colorName(value) }));
  return {
    name: textInput("name", { maxlength: TEXT_LIMITS.name }),
    description: element("textarea", { name: "description", rows: 3, maxlength: TEXT_LIMITS.description }),
    location: textInput("location", { maxlength: TEXT_LIMITS.location }),
    image: textInput("image", { inputmode: "url", maxlength: TEXT_LIMITS.image }),
    color: select("color", "NONE", colors),
    pausedUntil: textInput("paused_until", { type: "datetime-local" }),
    allDay: checkbox("all_day", false),
    startDate: textInput("start_date", { type: "date" }),
    startTime: textInput("start_time", { type: "time" }),
    endDate: textInput("end_date", { type: "date" }),
    endTime: textInput("end_time", { type: "time" }),
    frequency: select("frequency", "NONE", frequencies),
    interval: textInput("interval", { type: "number", min: 1, max: 1000 }),
    count: textInput("count", { type: "number", min: 1, max: 10_000 }),
    rrule: textInput("rrule", { maxlength: 500 }),
  };
}

/** @param {App} app */
function scopeField({ t }) {
  const choice = (/** @type {"this" | "following" | "all"} */ value) => {
    const input = element("input", {
      type: "radio",
      name: "scope",
      value,
      id: `scope-${value}`,
      checked: value === "this",
    });
    return element("div", { class: "check" }, input, element("label", { for: `scope-${value}` }, t(`scope_${value}`)));
  };
  return element(
    "div",
    { "data-field": "scope" },
    fieldset(t("scope"), choice("this"), choice("following"), choice("all")),
  );
}
