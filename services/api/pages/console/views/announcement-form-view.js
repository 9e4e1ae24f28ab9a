import { element } from "../element.js";
import { needsEvent } from "../model/announcement-form.js";
import { ANNOUNCEMENT_TYPES, COLORS, colorName, DIGEST_FREQUENCIES, WEEKDAYS } from "../model/choices.js";
import { seriesIdOf } from "../model/move-event.js";
import { timesText } from "./entry-text.js";
import { checkbox, field, fieldset, fillInputs, readInputs, select, textInput } from "./form-fields.js";
import { statusLine } from "./save-form.js";

/** @import { AnnouncementValues } from "../model/announcement-form.js" */
/** @import { App } from "../state.js" */

/**
 * The form of an announcement. `fill` sets the values again.
 * @param {App} app
 * @param {{ values: AnnouncementValues, zone: string, isNew: boolean }} options `zone` is the zone of the shown times.
 */
export function announcementForm(app, { values, zone, isNew }) {
  const { t } = app;
  const choices = element("datalist", { id: "event-choices" });
  const inputs = announcementInputs(app);
  const eventField = field(t("announcement_eventId"), inputs.eventId, { hint: t("event_hint") });
  const colorField = field(t("announcement_eventColor"), inputs.eventColor);
  const digest = digestFields(app, inputs);
  const weekday = digest.querySelector('[data-field="digest.weekday"]');
  const ofEvents = [
    element(
      "div",
      { class: "row" },
      field(t("announcement_hours"), inputs.hours),
      field(t("announcement_minutes"), inputs.minutes),
    ),
    field(t("announcement_offsets"), inputs.offsets, { hint: t("offsets_hint") }),
    field(t("announcement_title"), inputs.title, { hint: t("template_hint"), name: "template.title" }),
    field(t("announcement_body"), inputs.body, { name: "template.body" }),
    field(t("announcement_editsMessages"), inputs.editsMessages),
    field(t("announcement_cleanUp"), inputs.cleanUp, { hint: t("clean_up_hint") }),
    field(t("announcement_skipOn"), inputs.skipOn),
    field(t("announcement_infoOnly"), inputs.infoOnly),
  ];
  const form = element(
    "form",
    { class: "form", novalidate: true },
    field(t("announcement_channel"), inputs.channel, { hint: t("channel_hint") }),
    field(t("announcement_type"), inputs.type),
    eventField,
    choices,
    colorField,
    digest,
    field(t("announcement_info"), inputs.info),
    ...ofEvents,
    inputs.templateFields,
    field(t("announcement_roles"), inputs.roles, { hint: t("roles_hint") }),
    field(t("announcement_users"), inputs.users, { hint: t("ids_hint") }),
    field(t("announcement_pausedUntil"), inputs.pausedUntil, {
      name: "paused_until",
      hint: t("paused_until_hint", { zone }),
    }),
    field(t("announcement_enabled"), inputs.enabled),
    statusLine(),
    element(
      "div",
      { class: "actions" },
      element("button", { type: "submit", class: "primary" }, t(isNew ? "create" : "save")),
      isNew ? null : element("button", { type: "button", class: "danger", "data-delete": true }, t("delete")),
    ),
  );
  const showParts = () => {
    const { value } = inputs.type;
    eventField.hidden = !needsEvent(value);
    colorField.hidden = value !== "COLOR";
    const isDigest = value === "DIGEST";
    digest.hidden = !isDigest;
    if (weekday instanceof HTMLElement) weekday.hidden = inputs.digestFrequency.value !== "WEEKLY";
    for (const each of ofEvents) each.hidden = isDigest;
    choices.replaceChildren(...eventChoices(app, value));
  };
  const fill = (/** @type {AnnouncementValues} */ shown) => {
    fillInputs(inputs, shown);
    showParts();
  };
  form.addEventListener("change", showParts);
  // The events may be read after the form was opened.
  const unsubscribe = app.store.subscribe((now, before) => {
    if (!form.isConnected) unsubscribe();
    else if (now.entries !== before.entries) choices.replaceChildren(...eventChoices(app, inputs.type.value));
  });
  fill(values);
  return { form, fill, valuesOf: () => /** @type {AnnouncementValues} */ (readInputs(inputs)) };
}

/**
 * The fields of a digest (D65).
 * @param {App} app
 * @param {ReturnType<typeof announcementInputs>} inputs
 */
function digestFields({ t }, inputs) {
  return fieldset(
    t("type_DIGEST"),
    field(t("announcement_digestCalendar"), inputs.digestCalendar, { name: "digest.calendar_number" }),
    field(t("announcement_digestFrequency"), inputs.digestFrequency, { name: "digest.frequency" }),
    field(t("announcement_digestWeekday"), inputs.digestWeekday, { name: "digest.weekday" }),
    field(t("announcement_digestTime"), inputs.digestTime, { name: "digest.time" }),
    field(t("announcement_digestDays"), inputs.digestDays, { name: "digest.days" }),
    field(t("announcement_digestColor"), inputs.digestColor, { name: "digest.color" }),
    field(t("announcement_digestEmptyText"), inputs.digestEmptyText, {
      hint: t("digest_empty_hint"),
      name: "digest.empty_text",
    }),
  );
}

/** @param {App} app */
function announcementInputs({ t, format }) {
  const types = ANNOUNCEMENT_TYPES.map((value) => ({
    value,
    label: t(`type_${value}`),
  }));
  const colors = COLORS.map((value) => ({ value, label: value === "NONE" ? t("no_color") : colorName(value) }));
  return {
    channel: textInput("channel", { inputmode: "numeric", maxlength: 20 }),
    type: select("type", "UNIVERSAL", types),
    eventId: textInput("event_id", { list: "event-choices", maxlength: 50 }),
    eventColor: select("event_color", "NONE", colors),
    hours: textInput("hours", { type: "number", min: 0, max: 8784 }),
    minutes: textInput("minutes", { type: "number", min: 0, max: 527_040 }),
    offsets: textInput("offsets", { maxlength: 200 }),
    info: element("textarea", { name: "info", rows: 3, maxlength: 4000 }),
    title: textInput("template_title", { maxlength: 256 }),
    body: element("textarea", { name: "template_body", rows: 3, maxlength: 4000 }),
    templateFields: textInput("template_fields", { type: "hidden" }),
    digestCalendar: textInput("digest_calendar", { type: "number", min: 1 }),
    digestFrequency: select(
      "digest_frequency",
      "DAILY",
      DIGEST_FREQUENCIES.map((value) => ({ value, label: t(`frequency_${value}`) })),
    ),
    digestWeekday: select(
      "digest_weekday",
      "MO",
      WEEKDAYS.map((value) => ({ value, label: format.weekdayName(value) })),
    ),
    digestTime: textInput("digest_time", { type: "time" }),
    digestDays: textInput("digest_days", { type: "number", min: 1, max: 31 }),
    digestColor: select("digest_color", "", [{ value: "", label: t("any_color") }, ...colors]),
    digestEmptyText: textInput("digest_empty_text", { maxlength: 256 }),
    editsMessages: checkbox("on_change", false),
    cleanUp: textInput("clean_up", { type: "number", min: 0, max: 10_080 }),
    skipOn: textInput("skip_on", { type: "number", min: 1 }),
    infoOnly: checkbox("info_only", false),
    pausedUntil: textInput("paused_until", { type: "datetime-local" }),
    enabled: checkbox("enabled", true),
    roles: textInput("subscribers_role"),
    users: textInput("subscribers_user"),
  };
}

/** Choices that the browser lists; any other id can be entered. */
const MAX_CHOICES = 200;

/**
 * The events that an announcement of the type can refer to: a series, or an event or an occurrence.
 * @param {App} app
 * @param {string} type
 */
function eventChoices(app, type) {
  const { entries } = app.store.state;
  const byId = new Map(
    entries
      .filter(({ recur }) => type === "SPECIFIC" || recur)
      .map((entry) => [type === "RECUR" ? seriesIdOf(entry.event_id) : entry.event_id, entry]),
  );
  return [...byId]
    .slice(0, MAX_CHOICES)
    .map(([value, entry]) => element("option", { value }, `${entry.name ?? ""} · ${timesText(app, entry)}`));
}
