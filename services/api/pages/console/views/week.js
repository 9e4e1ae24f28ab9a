import { element } from "../element.js";
import { todayIn } from "../format.js";
import { columnsOf, entriesByDate, shownEnd } from "../model/calendar-layout.js";
import { wallTime } from "../model/zoned-time.js";
import { canWrite, shownZone } from "../state.js";
import { openNewEventAt } from "./calendar-actions.js";
import { entryButton, shownEntries } from "./entry.js";

/** @import { DayEntry } from "../model/calendar-layout.js" */
/** @import { App } from "../state.js" */

const DAY_MINUTES = 1440;
/** The scale begins to be shown at seven o'clock; an hour has 40 pixels (console.css). */
const FIRST_SHOWN_PIXEL = 280;
const part = (/** @type {number} */ minutes) => `${(minutes / DAY_MINUTES) * 100}%`;

/**
 * A week with a time scale. All-day entries are above it.
 * @param {App} app
 * @param {readonly string[]} dates
 */
export function weekView(app, dates) {
  const { t, format, store } = app;
  const zone = shownZone(store.state);
  const days = entriesByDate(shownEntries(app), dates, zone);
  const today = todayIn(zone);
  return element(
    "div",
    {
      class: "week-box",
      tabindex: 0,
      role: "region",
      "aria-label": t("view_week"),
      "data-key": "week",
      "data-scroll": "week",
      "data-scroll-start": FIRST_SHOWN_PIXEL,
    },
    element(
      "div",
      { class: "week" },
      element(
        "div",
        { class: "hours", "aria-hidden": "true" },
        Array.from({ length: 24 }, (_, hour) =>
          element("span", { style: { top: part(hour * 60) } }, format.time(hour * 3_600_000, "UTC")),
        ),
      ),
      dates.map((date, index) =>
        dayColumn(app, { date, index, entries: days.get(date) ?? [], isToday: date === today }),
      ),
    ),
  );
}

/**
 * @param {App} app
 * @param {{ date: string, index: number, entries: readonly DayEntry[], isToday: boolean }} day
 */
function dayColumn(app, { date, index, entries, isToday }) {
  const { format, store } = app;
  const style = { "grid-column": index + 2 };
  const now = wallTime(Date.now(), shownZone(store.state));
  return element(
    "section",
    { class: `column${isToday ? " today" : ""}`, "aria-label": format.longDate(date) },
    element(
      "div",
      { class: "column-head", "data-date": date, style },
      element("h2", {}, format.shortDate(date)),
      entries.filter(({ isAllDay }) => isAllDay).map((item) => entryButton(app, item, date)),
    ),
    element(
      "div",
      {
        class: "scale",
        style,
        "data-date": date,
        "data-time-scale": true,
        onclick: canWrite(app) ? (/** @type {MouseEvent} */ event) => createAt(app, date, event) : undefined,
      },
      columnsOf(entries).map(({ item, column, columns }) => {
        const button = entryButton(app, item, date);
        button.style.setProperty("top", part(item.from));
        button.style.setProperty("height", part(shownEnd(item) - item.from));
        button.style.setProperty("left", `${(column / columns) * 100}%`);
        button.style.setProperty("width", `${100 / columns}%`);
        return button;
      }),
      isToday ? element("div", { class: "now", style: { top: part(now.minutes) } }) : null,
    ),
  );
}

/**
 * A click on a free place creates an event at the hour; the button "New event" does it by the keyboard.
 * @param {App} app
 * @param {string} date
 * @param {MouseEvent} event
 */
function createAt(app, date, { target, currentTarget, clientY }) {
  if (target !== currentTarget || !(target instanceof HTMLElement)) return;
  const { top, height } = target.getBoundingClientRect();
  openNewEventAt(app, date, Math.floor(((clientY - top) / height) * 24) * 60);
}
