import { newIdempotencyKey, RequestError } from "../api.js";
import { element } from "../element.js";
import {
  announcementValues,
  changedAnnouncementFields,
  NEW_ANNOUNCEMENT,
  newAnnouncementFields,
} from "../model/announcement-form.js";
import { canWrite, shownZone } from "../state.js";
import { announcementForm } from "./announcement-form-view.js";
import { coverText, leadText, pausedTag } from "./announcement-text.js";
import { askConflict } from "./conflict.js";
import { ask, openDialog } from "./dialog.js";
import { knownEffect, planEffect, showEffectIn } from "./plan-effect.js";
import { previewBox } from "./preview.js";
import { problemText, saveForm } from "./save-form.js";

/** @import { Announcement, Fields } from "../model/types.ts" */
/** @import { AnnouncementValues } from "../model/announcement-form.js" */
/** @import { App } from "../state.js" */

/**
 * Opens an announcement with its message: its form, or what it covers for a key that only reads.
 * @param {App} app
 * @param {string} id
 */
export async function openAnnouncement(app, id) {
  try {
    const read = await readAnnouncement(app, id);
    if (canWrite(app)) editAnnouncement(app, read);
    else showAnnouncement(app, read.announcement);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    app.announce(problemText(app, error));
    if (error.status === 404) await app.reload();
  }
}

/**
 * @param {App} app
 * @param {string} id
 */
async function readAnnouncement({ api }, id) {
  const { body, etag } = await api.send("/v1/announcement/get", { id });
  return { announcement: /** @type {Announcement} */ (/** @type {unknown} */ ({ ...body, id })), etag };
}

/**
 * @param {App} app
 * @param {Announcement} announcement
 */
function showAnnouncement(app, announcement) {
  openDialog(app.t, coverText(app, announcement), () => [
    element("p", {}, leadText(app, announcement)),
    pausedTag(app, announcement.paused_until),
    previewBox(app, () => ({ id: announcement.id, changes: [] })).node,
  ]);
}

/**
 * Opens the form of a new announcement.
 * @param {App} app
 */
export function openNewAnnouncement(app) {
  const { t, api, store } = app;
  const zone = shownZone(store.state);
  const keys = new Map();
  openDialog(t, t("new_announcement"), (close) => {
    const { form, valuesOf } = announcementForm(app, { values: NEW_ANNOUNCEMENT, zone, isNew: true });
    const fieldsOf = () => newAnnouncementFields(valuesOf(), zone);
    showEffectIn(form, planEffect(app, "/v1/announcement/create", fieldsOf));
    const preview = previewBox(app, () => ({ changes: [draftOf(fieldsOf())] }));
    form.addEventListener("input", () => preview.refreshSoon());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void saveForm(app, form, async () => {
        const fields = fieldsOf();
        const text = JSON.stringify(fields);
        const idempotencyKey = keys.get(text) ?? newIdempotencyKey();
        keys.set(text, idempotencyKey);
        const { body } = await api.send("/v1/announcement/create", fields, { idempotencyKey });
        close();
        app.announce(t("created"));
        await app.reload();
        // The message as it will be posted is seen at once.
        await openAnnouncement(app, String(body["id"]));
      });
    });
    return [form, preview.node];
  });
}

/** A channel for a preview: the message is the same in each. */
const ANY_CHANNEL = "1";

/**
 * The create of an announcement that is being typed, whose message is seen before its channel is entered.
 * @param {Fields} fields
 */
const draftOf = (fields) => ({
  action: "CREATE_ANNOUNCEMENT",
  ...fields,
  channel: fields["channel"] === "" ? ANY_CHANNEL : fields["channel"],
});

/**
 * @param {App} app
 * @param {{ announcement: Announcement, etag: string | null }} read
 */
function editAnnouncement(app, read) {
  const { t, api, store } = app;
  const zone = shownZone(store.state);
  let { etag } = read;
  const { id } = read.announcement;
  let opened = announcementValues(read.announcement, zone);
  openDialog(t, coverText(app, read.announcement), (close) => {
    const { form, valuesOf, fill } = announcementForm(app, { values: opened, zone, isNew: false });
    const changesOf = () => changedAnnouncementFields(opened, valuesOf(), zone);
    const preview = previewBox(app, () => {
      const changes = changesOf();
      return {
        id,
        changes: Object.keys(changes).length === 0 ? [] : [{ action: "UPDATE_ANNOUNCEMENT", id, ...changes }],
      };
    });
    form.addEventListener("input", () => preview.refreshSoon());
    const effect = planEffect(app, "/v1/announcement/update", () => {
      const changes = changesOf();
      return Object.keys(changes).length === 0 ? undefined : { id, ...changes };
    });
    showEffectIn(form, effect);

    const save = async () => {
      const changes = changesOf();
      if (Object.keys(changes).length > 0) {
        ({ etag } = await api.send("/v1/announcement/update", { id, ...changes }, { ifMatch: etag }));
        opened = valuesOf();
      }
      effect.reset();
      app.announce(t("saved"));
      await Promise.all([preview.refresh(), app.reload()]);
    };

    const resolveConflict = async () => {
      const stored = await readAnnouncement(app, id);
      const now = announcementValues(stored.announcement, zone);
      const mine = valuesOf();
      const names = /** @type {(keyof AnnouncementValues)[]} */ (Object.keys(now));
      const conflicts = names
        .filter((name) => now[name] !== opened[name])
        .map((name) => ({
          label: t(`announcement_${name}`),
          opened: String(opened[name]),
          stored: String(now[name]),
          mine: String(mine[name]),
        }));
      const choice = await askConflict(app, conflicts);
      if (choice === undefined) return;
      const own = Object.fromEntries(
        names.filter((name) => mine[name] !== opened[name]).map((name) => [name, mine[name]]),
      );
      ({ etag } = stored);
      opened = now;
      fill(choice === "mine" ? { ...now, ...own } : now);
      if (choice === "mine") await saveForm(app, form, save, resolveConflict);
    };

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void saveForm(app, form, save, resolveConflict);
    });
    form.querySelector("[data-delete]")?.addEventListener("click", () => void remove());
    const remove = async () => {
      const choice = await ask(t, {
        title: t("delete_announcement"),
        text: t("delete_announcement_text"),
        content: knownEffect(app, "/v1/announcement/delete", { id }),
        choices: [{ value: "delete", label: t("delete"), isDangerous: true }],
      });
      if (choice === undefined) return;
      await saveForm(
        app,
        form,
        async () => {
          await api.send("/v1/announcement/delete", { id }, { ifMatch: etag });
          close();
          app.announce(t("deleted"));
          await app.reload();
        },
        resolveConflict,
      );
    };
    return [form, preview.node];
  });
}
