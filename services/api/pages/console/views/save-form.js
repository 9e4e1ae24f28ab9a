import { RequestError } from "../api.js";
import { element } from "../element.js";
import { showProblems } from "./form-fields.js";

/** @import { App } from "../state.js" */

/**
 * Sends a form. While it is sent, its buttons are disabled. If it fails, the form stays filled and shows the words of the service;
 * a conflict of revisions (412) is the caller's.
 * @param {App} app
 * @param {HTMLFormElement} form
 * @param {() => Promise<void>} send
 * @param {(error: RequestError) => void | Promise<void>} [onConflict]
 */
export async function saveForm(app, form, send, onConflict) {
  const status = form.querySelector("[data-status]");
  const buttons = [...form.querySelectorAll("button")].filter(({ disabled }) => !disabled);
  const show = (/** @type {string} */ text) => status?.replaceChildren(text);
  showProblems(form, []);
  show(app.t("saving"));
  for (const button of buttons) button.disabled = true;
  try {
    await send();
    show("");
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.status === 412 && onConflict !== undefined) {
      show("");
      await onConflict(error);
    } else {
      const others = showProblems(form, error.problems);
      show([problemText(app, error), ...others.map(({ field, message }) => `${field}: ${message}`)].join(" "));
    }
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** The place in a form where `saveForm` shows the outcome. */
export const statusLine = () => element("p", { role: "alert", "data-status": true, class: "form-status" });

/**
 * The words of the service for a failed request, and what to do.
 * @param {App} app
 * @param {RequestError} error
 */
export function problemText({ t }, { status, message, code, retryAfterSeconds, requestId }) {
  if (status === 0) return t("no_response_kept");
  const advice =
    status === 429 || code === "UNAVAILABLE" ? [t("retry_after", { seconds: Math.max(1, retryAfterSeconds) })] : [];
  const id = status >= 500 && requestId !== "" ? [t("request_id", { id: requestId })] : [];
  return [`${message === "" ? t("unexpected_response", { status }) : message}.`, ...advice, ...id].join(" ");
}
