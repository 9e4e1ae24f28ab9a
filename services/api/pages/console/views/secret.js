import { element } from "../element.js";
import { openDialog } from "./dialog.js";

/** @import { App } from "../state.js" */

/**
 * Shows a secret that the service shows only in this response, with a button that copies it. It is nowhere when the dialog is closed.
 * @param {App} app
 * @param {string} title
 * @param {string} secret
 */
export function showSecret(app, title, secret) {
  const { t } = app;
  const input = element("input", {
    type: "text",
    readonly: true,
    value: secret,
    "aria-label": title,
    "data-secret": true,
  });
  const copy = async () => {
    input.select();
    app.announce(t((await isCopied(secret)) ? "copied" : "not_copied"));
  };
  openDialog(t, title, () => [
    element("p", {}, t("shown_once")),
    element(
      "div",
      { class: "secret" },
      input,
      element("button", { type: "button", class: "primary", onclick: () => void copy() }, t("copy")),
    ),
  ]);
  input.select();
}

/**
 * Whether the browser has copied the text. Pages without https, except those of localhost, have no clipboard.
 * @param {string} text
 */
async function isCopied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
