import { element } from "../element.js";
import { todayIn } from "../format.js";
import { datesOfView, stepOfView } from "../model/civil-date.js";
import { isKnownZone } from "../model/zoned-time.js";
import { canWrite, shownZone, VIEWS } from "../state.js";
import { dayListView } from "./day-list.js";
import { openNewEventAt } from "./calendar-actions.js";
import { select } from "./form-fields.js";
import { monthView } from "./month.js";
import { weekView } from "./week.js";

/** @import { App } from "../state.js" */

const CONTENT = { month: monthView, week: weekView, agenda: dayListView };

/**
 * The calendar: its toolbar, and one of its views.
 * @param {App} app
 */
export function calendarPage(app) {
  const { t, store } = app;
  const { view, date } = store.state;
  const dates = datesOfView(view, date, app.format.firstWeekday);
  return [
    element(
      "div",
      { class: "toolbar" },
      element("h1", { "aria-live": "polite" }, titleOf(app, dates)),
      navigation(app),
      element(
        "div",
        { role: "group", "aria-label": t("views"), class: "group" },
        VIEWS.map((each) =>
          element(
            "button",
            {
              type: "button",
              "data-key": `view ${each}`,
              "aria-pressed": String(each === view),
              onclick: () => app.open(`calendar/${each}/${date}`),
            },
            t(`view_${each}`),
          ),
        ),
      ),
      zoneChoice(app),
      canWrite(app)
        ? element(
            "button",
            { type: "button", class: "primary", "data-key": "new event", onclick: () => openNewEventAt(app, date) },
            t("new_event"),
          )
        : null,
    ),
    calendarChoice(app),
    canWrite(app) ? element("p", { id: "move-hint", class: "hint" }, t("move_hint")) : null,
    CONTENT[view](app, dates),
  ];
}

/**
 * @param {App} app
 * @param {readonly string[]} dates
 */
function titleOf({ format, store }, dates) {
  const { view, date } = store.state;
  if (view === "month") return format.month(date);
  return `${format.shortDate(dates[0] ?? date)} – ${format.shortDate(dates.at(-1) ?? date)}, ${date.slice(0, 4)}`;
}

/** @param {App} app */
function navigation(app) {
  const { t, store } = app;
  const { view, date } = store.state;
  const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {string} */ to) =>
    element(
      "button",
      {
        type: "button",
        "data-key": `go ${label}`,
        "aria-label": label,
        onclick: () => app.open(`calendar/${view}/${to}`),
      },
      sign,
    );
  return element(
    "div",
    { class: "group" },
    button(t("earlier"), "‹", stepOfView(view, date, -1)),
    button(t("today"), t("today"), todayIn(shownZone(store.state))),
    button(t("later"), "›", stepOfView(view, date, 1)),
  );
}

/** @param {App} app */
function zoneChoice(app) {
  const { t, store } = app;
  const { calendars } = store.state;
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([...calendars.map(({ timezone }) => timezone), own])].filter(isKnownZone);
  const choices = zones.map((zone) => ({ value: zone, label: zone === own ? t("own_zone", { zone }) : zone }));
  return element(
    "label",
    { class: "inline" },
    `${t("zone")} `,
    select("zone", shownZone(store.state), choices, {
      "data-key": "zone",
      onchange: (/** @type {Event} */ { target }) => {
        store.update({ zone: /** @type {HTMLSelectElement} */ (target).value });
        void app.reload();
      },
    }),
  );
}

/** @param {App} app */
function calendarChoice(app) {
  const { store, t } = app;
  const { calendars, hidden } = store.state;
  if (calendars.length < 2) return null;
  const toggle = (/** @type {number} */ number) => {
    const isHidden = store.state.hidden.includes(number);
    store.update({ hidden: isHidden ? hidden.filter((each) => each !== number) : [...hidden, number] });
    void app.reload();
  };
  return element(
    "fieldset",
    { class: "chips" },
    element("legend", {}, t("calendars")),
    calendars.map(({ calendar_number, name }) =>
      element(
        "label",
        {},
        element("input", {
          type: "checkbox",
          checked: !hidden.includes(calendar_number),
          "data-key": `calendar ${calendar_number}`,
          onchange: () => toggle(calendar_number),
        }),
        ` ${name}`,
      ),
    ),
  );
}
