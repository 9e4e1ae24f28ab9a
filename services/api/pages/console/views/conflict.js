import { element } from "../element.js";
import { openDialog } from "./dialog.js";

/** @import { App } from "../state.js" */

/**
 * A value that somebody else has changed.
 * @typedef {{ label: string, opened: string, stored: string, mine: string }} Conflict
 */

/**
 * Shows what somebody else has stored since the form was opened beside the values of the form. Resolves with `mine` to write the
 * form's changes over the new state, or with `stored` to take over the new state; undefined to go on editing.
 * @param {App} app
 * @param {readonly Conflict[]} conflicts
 * @returns {Promise<"mine" | "stored" | undefined>}
 */
export function askConflict({ t }, conflicts) {
  return new Promise((resolve) => {
    /** @type {"mine" | "stored" | undefined} */
    let choice;
    const { node } = openDialog(t, t("conflict_title"), (close) => {
      const choose = (/** @type {"mine" | "stored"} */ value) => () => {
        choice = value;
        close();
      };
      return [
        element("p", {}, t("conflict_text")),
        conflicts.length === 0 ? element("p", {}, t("conflict_none")) : conflictTable(t, conflicts),
        element(
          "div",
          { class: "actions" },
          element("button", { type: "button", "data-choice": "mine", onclick: choose("mine") }, t("conflict_mine")),
          element(
            "button",
            { type: "button", "data-choice": "stored", onclick: choose("stored") },
            t("conflict_stored"),
          ),
          element("button", { type: "button", class: "quiet", onclick: close }, t("conflict_back")),
        ),
      ];
    });
    node.addEventListener("close", () => resolve(choice));
  });
}

/**
 * @param {App["t"]} t
 * @param {readonly Conflict[]} conflicts
 */
function conflictTable(t, conflicts) {
  const heads = [t("field"), t("conflict_opened"), t("conflict_now"), t("conflict_yours")];
  return element(
    "div",
    { class: "table-box", tabindex: 0, role: "region", "aria-label": t("conflict_title") },
    element(
      "table",
      { class: "conflicts" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          heads.map((head) => element("th", { scope: "col" }, head)),
        ),
      ),
      element(
        "tbody",
        {},
        conflicts.map(({ label, opened, stored, mine }) =>
          element(
            "tr",
            {},
            element("th", { scope: "row" }, label),
            [opened, stored, mine].map((value) => element("td", {}, value)),
          ),
        ),
      ),
    ),
  );
}
