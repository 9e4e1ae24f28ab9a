import { RequestError } from "../api.js";
import { element } from "../element.js";
import { shownZone } from "../state.js";
import { discordMessage } from "./discord-message.js";
import { problemText } from "./save-form.js";

/** @import { Preview } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/**
 * The message of a stored announcement for its next event, as Discord shows it. The preview of a draft belongs here, too.
 * @param {App} app
 * @param {string} id
 */
export function previewBox(app, id) {
  const { t, api } = app;
  const content = element("div", { class: "preview-content" }, t("loading"));
  const node = element(
    "section",
    { class: "preview", "aria-label": t("preview") },
    element("h3", {}, t("preview")),
    content,
  );
  const refresh = async () => {
    try {
      const { body } = await api.send("/v1/announcement/preview", { id });
      content.replaceChildren(...shown(app, /** @type {Preview} */ (/** @type {unknown} */ (body))));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      content.replaceChildren(error.code === "EVENT_NOT_FOUND" ? t("preview_no_event") : problemText(app, error));
    }
  };
  void refresh();
  return { node, refresh };
}

/**
 * @param {App} app
 * @param {Preview} preview
 */
function shown(app, { epoch_start, messages, problem }) {
  const { t, format, store } = app;
  return [
    element("p", { class: "hint" }, t("preview_for", { time: format.instant(epoch_start, shownZone(store.state)) })),
    ...(problem === undefined ? [] : [element("p", { class: "notice warning" }, problem.message)]),
    ...messages.map((message) => discordMessage(app, message)),
  ];
}
