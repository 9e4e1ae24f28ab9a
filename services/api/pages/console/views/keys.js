import { element } from "../element.js";
import { KEY_ACCESS, KEY_KINDS } from "../model/choices.js";
import { instantOf } from "../model/zoned-time.js";
import { shownZone } from "../state.js";
import { openDialog } from "./dialog.js";
import { field, select, textInput } from "./form-fields.js";
import { askOverlapHours, issuedPage, removeAfterQuestion, sendAction } from "./issued-page.js";
import { saveForm, statusLine } from "./save-form.js";
import { showSecret } from "./secret.js";

/** @import { ApiKey } from "../model/types.ts" */
/** @import { App } from "../state.js" */
/** @import { Action, Issued } from "./issued-page.js" */

/**
 * The API keys of the installation, for operators (D11).
 * @param {App} app
 */
export function keysPage(app) {
  const { t, store, access } = app;
  if (access !== "operator") return [element("h1", {}, t("keys")), element("p", { class: "notice" }, t("keys_only"))];
  const { keys, moreKeys } = store.state;
  return [
    ...issuedPage(app, {
      title: "keys",
      create: "new_key",
      none: "no_keys",
      hint: "keys_hint",
      onCreate: () => openNewKey(app),
      issued: keys.map((key) => issuedKey(app, key)),
    }),
    moreKeys ? element("p", { class: "notice" }, t("more_keys", { count: keys.length })) : null,
  ];
}

/**
 * @param {App} app
 * @param {ApiKey} key
 * @returns {Issued}
 */
function issuedKey(app, { id, kind, access, guilds, label, created, expires, revoked, last_used, previous_until }) {
  const { t, format, store } = app;
  const zone = shownZone(store.state);
  const timeOf = (/** @type {number | undefined} */ instant) =>
    instant === undefined ? undefined : format.instant(instant, zone);
  const isOver = revoked !== undefined || (expires !== undefined && expires <= Date.now());
  const name = label === "" ? id : label;
  /** @type {readonly Action[]} */
  const actions = [
    { key: "rotate", run: () => rotate(app, id, name) },
    {
      key: "revoke",
      isDangerous: true,
      run: () =>
        removeAfterQuestion(
          app,
          { title: t("revoke_title", { name }), text: "revoke_key_text", label: "revoke" },
          "/admin/keys/revoke",
          { id },
        ),
    },
  ];
  return {
    id,
    name,
    tags: [kind, access, ...(isOver ? [t("key_over")] : [])],
    rows: [
      ["key_id", id],
      ["key_guilds", guilds.length === 0 ? undefined : guilds.join(", ")],
      ["created_at", timeOf(created)],
      ["last_used", timeOf(last_used) ?? t("never")],
      ["expires_at", timeOf(expires)],
      ["revoked_at", timeOf(revoked)],
      ["former_until", timeOf(previous_until)],
    ],
    actions: isOver ? [] : actions,
  };
}

/**
 * @param {App} app
 * @param {string} id
 * @param {string} name
 */
async function rotate(app, id, name) {
  const overlap_hours = await askOverlapHours(app, app.t("rotate_title", { name }));
  if (overlap_hours === undefined) return;
  const body = await sendAction(app, "/admin/keys/rotate", { id, overlap_hours });
  if (body !== undefined) showSecret(app, app.t("key_secret"), String(body["key"]));
}

/** @param {App} app */
function openNewKey(app) {
  const { t, api, store } = app;
  const choices = (/** @type {readonly string[]} */ values) => values.map((value) => ({ value, label: value }));
  const label = textInput("label", { maxlength: 100 });
  const kind = select("kind", "guild", choices(KEY_KINDS));
  const access = select("access", "read", choices(KEY_ACCESS));
  const guilds = textInput("guilds", { value: api.guildId });
  const expires = textInput("expires", { type: "date" });
  const guildsField = field(t("key_guilds"), guilds, { hint: t("ids_hint") });
  openDialog(t, t("new_key"), (close) => {
    const form = element(
      "form",
      { class: "form", novalidate: true },
      field(t("label"), label, { hint: t("label_hint") }),
      field(t("key_kind"), kind, { hint: t("key_kind_hint") }),
      field(t("key_access"), access),
      guildsField,
      field(t("expires_at"), expires, { hint: t("expires_hint") }),
      statusLine(),
      element("div", { class: "actions" }, element("button", { type: "submit", class: "primary" }, t("create"))),
    );
    kind.addEventListener("change", () => (guildsField.hidden = kind.value !== "guild"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void saveForm(app, form, async () => {
        const zone = shownZone(store.state);
        const { body } = await api.send("/admin/keys/create", {
          kind: kind.value,
          access: access.value,
          label: label.value,
          ...(kind.value === "guild" ? { guilds: guilds.value.split(/[\s,]+/).filter((id) => id !== "") } : {}),
          ...(expires.value === "" ? {} : { expires: instantOf(expires.value, 0, zone) }),
        });
        close();
        showSecret(app, t("key_secret"), String(body["key"]));
        await app.reload();
      });
    });
    return [form];
  });
}
