import { element } from "../element.js";
import { entriesByDate } from "../model/calendar-layout.js";
import { shownZone } from "../state.js";
import { entryButton, shownEntries } from "./entry.js";

/** @import { App } from "../state.js" */

/**
 * The entries of the dates as a list. Days without entries are left out.
 * @param {App} app
 * @param {readonly string[]} dates
 */
export function dayListView(app, dates) {
  const { t, format, store } = app;
  const days = entriesByDate(shownEntries(app), dates, shownZone(store.state));
  const shown = [...days].filter(([, entries]) => entries.length > 0);
  if (shown.length === 0) return element("p", { class: "empty" }, t(store.state.isLoading ? "loading" : "no_events"));
  return element(
    "div",
    { class: "agenda" },
    shown.map(([date, entries]) =>
      element(
        "section",
        { "aria-label": format.longDate(date), "data-date": date },
        element("h2", {}, format.longDate(date)),
        element(
          "ul",
          {},
          entries.map((entry) => element("li", {}, entryButton(app, entry, date))),
        ),
      ),
    ),
  );
}
