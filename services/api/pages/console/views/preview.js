import { RequestError } from "../api.js";
import { element } from "../element.js";
import { shownZone } from "../state.js";
import { discordMessage } from "./discord-message.js";
import { problemText } from "./save-form.js";

/** @import { Fields, Preview } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/**
 * The message of an announcement for its next event, as Discord shows it.
 * @param {App} app
 * @param {string} id
 * @param {() => Fields} [changesOf] The changes that are not saved yet: with any, the message is the one after them.
 */
export function previewBox(app, id, changesOf = () => ({})) {
  const { t } = app;
  const content = element("div", { class: "preview-content" }, t("loading"));
  const node = element(
    "section",
    { class: "preview", "aria-label": t("preview") },
    element("h3", {}, t("preview")),
    content,
  );
  let requests = 0;
  const refresh = async () => {
    requests += 1;
    const request = requests;
    const show = (/** @type {(Node | string)[]} */ ...nodes) => {
      // The response to an earlier request may come later.
      if (request === requests) content.replaceChildren(...nodes);
    };
    try {
      const changes = changesOf();
      const isDraft = Object.keys(changes).length > 0;
      const preview = isDraft ? await draftPreview(app, id, changes) : await storedPreview(app, id);
      show(...shown(app, preview, isDraft ? "preview_draft" : "preview_for"));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const problems = error.problems.map(({ message }) => `${message}.`);
      show(error.code === "EVENT_NOT_FOUND" ? t("preview_no_event") : [problemText(app, error), ...problems].join(" "));
    }
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing;
  /** Refreshes after a pause in typing. */
  const refreshSoon = () => {
    clearTimeout(typing);
    typing = setTimeout(() => void refresh(), PAUSE_MS);
  };
  void refresh();
  return { node, refresh, refreshSoon };
}

const PAUSE_MS = 400;

/**
 * @param {App} app
 * @param {string} id
 */
async function storedPreview({ api }, id) {
  const { body } = await api.send("/v1/announcement/preview", { id });
  return /** @type {Preview} */ (/** @type {unknown} */ (body));
}

/**
 * @param {App} app
 * @param {string} id
 * @param {Fields} changes
 */
async function draftPreview({ api }, id, changes) {
  const { body } = await api.send("/v2/plan/preview", { changes: [{ action: "UPDATE_ANNOUNCEMENT", id, ...changes }] });
  const [preview] = /** @type {readonly Preview[]} */ (body["previews"]);
  return /** @type {Preview} */ (preview);
}

/**
 * @param {App} app
 * @param {Preview} preview
 * @param {"preview_for" | "preview_draft"} label
 */
function shown(app, { epoch_start, messages, problem }, label) {
  const { t, format, store } = app;
  return [
    element("p", { class: "hint" }, t(label, { time: format.instant(epoch_start, shownZone(store.state)) })),
    ...(problem === undefined ? [] : [element("p", { class: "notice warning" }, problem.message)]),
    ...messages.map((message) => discordMessage(app, message)),
  ];
}
