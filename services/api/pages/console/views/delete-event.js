import { RequestError } from "../api.js";
import { isOccurrence } from "../model/move-event.js";
import { ask, askScope } from "./dialog.js";
import { nameOf } from "./entry-text.js";
import { knownEffect } from "./plan-effect.js";
import { problemText } from "./save-form.js";

/** @import { Entry } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/**
 * Deletes an event, or cancels occurrences of a series, after a question. Whether it was done. Another revision than the one that
 * was read is refused by the service: somebody else may have changed what would be lost.
 * @param {App} app
 * @param {Entry} entry
 * @param {string | null} etag
 */
export async function deleteEvent(app, entry, etag) {
  const { t } = app;
  const question = await questionFor(app, entry);
  if (question === undefined) return false;
  const { calendar_number, event_id } = entry;
  try {
    await app.api.send("/v2/events/delete", { calendar_number, event_id, ...question }, { ifMatch: etag });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    app.announce(problemText(app, error));
    return false;
  }
  app.announce(t("deleted"));
  await app.reload();
  return true;
}

/**
 * The scope and what happens to announcements; undefined if the user wants neither.
 * @param {App} app
 * @param {Entry} entry
 * @returns {Promise<Record<string, string> | undefined>}
 */
async function questionFor(app, entry) {
  const { t } = app;
  const { calendar_number, event_id } = entry;
  if (isOccurrence(entry)) {
    const scope = await askScope(t, t("delete_which"));
    return scope === undefined ? undefined : { scope };
  }
  const choice = await ask(t, {
    title: t("delete_title", { name: nameOf(app, entry) }),
    text: t("delete_text"),
    content: knownEffect(app, "/v2/events/delete", { calendar_number, event_id }),
    choices: [
      { value: "event", label: t("delete_event"), isDangerous: true },
      { value: "both", label: t("delete_both"), isDangerous: true },
    ],
  });
  if (choice === undefined) return undefined;
  return choice === "both" ? { announcements: "delete" } : {};
}
