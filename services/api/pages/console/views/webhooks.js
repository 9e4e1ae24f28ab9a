import { element } from "../element.js";
import { WEBHOOK_TYPES } from "../model/choices.js";
import { shownZone } from "../state.js";
import { openDialog } from "./dialog.js";
import { checkbox, field, fieldset, textInput } from "./form-fields.js";
import { askOverlapHours, issuedPage, removeAfterQuestion, sendAction } from "./issued-page.js";
import { saveForm, statusLine } from "./save-form.js";
import { showSecret } from "./secret.js";

/** @import { Webhook } from "../model/types.ts" */
/** @import { App } from "../state.js" */
/** @import { Issued } from "./issued-page.js" */

/**
 * The webhooks of the guild (D53).
 * @param {App} app
 */
export const webhooksPage = (app) =>
  issuedPage(app, {
    title: "webhooks",
    create: "new_webhook",
    none: "no_webhooks",
    hint: "webhooks_hint",
    onCreate: () => openNewWebhook(app),
    issued: app.store.state.webhooks.map((webhook) => issuedWebhook(app, webhook)),
  });

/**
 * @param {App} app
 * @param {Webhook} webhook
 * @returns {Issued}
 */
function issuedWebhook(app, { id, url, types, enabled, disabled_reason, created, previous_until }) {
  const { t, format, store } = app;
  const timeOf = (/** @type {number | undefined} */ instant) =>
    instant === undefined ? undefined : format.instant(instant, shownZone(store.state));
  const enable = async () => {
    const done = await sendAction(app, "/v2/webhooks/update", { id, enabled: !enabled });
    if (done !== undefined) app.announce(t("done"));
  };
  return {
    id,
    name: url,
    tags: enabled ? [] : [t("disabled"), ...(disabled_reason === undefined ? [] : [disabled_reason])],
    rows: [
      ["webhook_types", types.join(", ")],
      ["created_at", timeOf(created)],
      ["former_until", timeOf(previous_until)],
    ],
    actions: [
      { key: enabled ? "disable" : "enable", run: enable },
      { key: "rotate", run: () => rotate(app, id, url) },
      {
        key: "delete",
        isDangerous: true,
        run: () =>
          removeAfterQuestion(
            app,
            { title: t("delete_title", { name: url }), text: "delete_webhook_text", label: "delete" },
            "/v2/webhooks/delete",
            { id },
          ),
      },
    ],
  };
}

/**
 * @param {App} app
 * @param {string} id
 * @param {string} url
 */
async function rotate(app, id, url) {
  const overlap_hours = await askOverlapHours(app, app.t("rotate_title", { name: url }));
  if (overlap_hours === undefined) return;
  const body = await sendAction(app, "/v2/webhooks/rotate", { id, overlap_hours });
  if (body !== undefined) showSecret(app, app.t("webhook_secret"), String(body["secret"]));
}

/** @param {App} app */
function openNewWebhook(app) {
  const { t } = app;
  const url = textInput("url", { inputmode: "url", maxlength: 1024, placeholder: "https://" });
  const types = WEBHOOK_TYPES.map((type) => ({ type, input: checkbox(`type ${type}`, true) }));
  openDialog(t, t("new_webhook"), (close) => {
    const form = element(
      "form",
      { class: "form", novalidate: true },
      field(t("webhook_url"), url, { hint: t("webhook_url_hint") }),
      element(
        "div",
        { "data-field": "types" },
        fieldset(t("webhook_types"), ...types.map(({ type, input }) => field(type, input))),
        element("small", { class: "problem" }),
      ),
      statusLine(),
      element("div", { class: "actions" }, element("button", { type: "submit", class: "primary" }, t("create"))),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void saveForm(app, form, async () => {
        const chosen = types.filter(({ input }) => input.checked).map(({ type }) => type);
        const { body } = await app.api.send("/v2/webhooks/create", { url: url.value.trim(), types: chosen });
        close();
        showSecret(app, t("webhook_secret"), String(body["secret"]));
        await app.reload();
      });
    });
    return [form];
  });
}
