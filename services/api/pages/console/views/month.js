import { element } from "../element.js";
import { todayIn } from "../format.js";
import { entriesByDate } from "../model/calendar-layout.js";
import { canWrite, shownZone } from "../state.js";
import { openNewEventAt } from "./calendar-actions.js";
import { entryButton, shownEntries } from "./entry.js";

/** @import { DayEntry } from "../model/calendar-layout.js" */
/** @import { App } from "../state.js" */

/** Entries that a day of the month shows; the agenda has the others. */
const SHOWN_ENTRIES = 4;

/**
 * A month as a table of weeks.
 * @param {App} app
 * @param {readonly string[]} dates
 */
export function monthView(app, dates) {
  const { format, store } = app;
  const zone = shownZone(store.state);
  const days = entriesByDate(shownEntries(app), dates, zone);
  const weeks = Array.from({ length: dates.length / 7 }, (_, week) => dates.slice(week * 7, week * 7 + 7));
  const today = todayIn(zone);
  return element(
    "table",
    { class: "month" },
    element("caption", { class: "for-readers" }, format.month(store.state.date)),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        dates
          .slice(0, 7)
          .map((date) =>
            element("th", { scope: "col", abbr: format.weekday(date, "long") }, format.weekday(date, "short")),
          ),
      ),
    ),
    element(
      "tbody",
      {},
      weeks.map((week) =>
        element(
          "tr",
          {},
          week.map((date) => dayCell(app, date, days.get(date) ?? [], date === today)),
        ),
      ),
    ),
  );
}

/**
 * @param {App} app
 * @param {string} date
 * @param {readonly DayEntry[]} entries
 * @param {boolean} isToday
 */
function dayCell(app, date, entries, isToday) {
  const { t, format, store } = app;
  const isOutside = date.slice(0, 7) !== store.state.date.slice(0, 7);
  const day = String(Number(date.slice(8)));
  const label = format.longDate(date);
  const more = entries.length - SHOWN_ENTRIES;
  return element(
    "td",
    {
      "data-date": date,
      class: `${isOutside ? "outside" : ""}${isToday ? " today" : ""}`,
      "aria-current": isToday ? "date" : undefined,
    },
    canWrite(app)
      ? element(
          "button",
          {
            type: "button",
            class: "day",
            "data-key": `day ${date}`,
            "aria-label": t("new_event_on", { date: label }),
            onclick: () => openNewEventAt(app, date),
          },
          day,
        )
      : element("time", { class: "day", datetime: date, "aria-label": label }, day),
    entries.slice(0, SHOWN_ENTRIES).map((entry) => entryButton(app, entry, date)),
    more > 0
      ? element(
          "button",
          {
            type: "button",
            class: "more",
            "data-key": `more ${date}`,
            "aria-label": t("more_on", { count: more, date: label }),
            onclick: () => app.open(`calendar/agenda/${date}`),
          },
          `+${more}`,
        )
      : null,
  );
}
