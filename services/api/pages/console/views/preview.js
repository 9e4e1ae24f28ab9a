import { RequestError } from "../api.js";
import { element } from "../element.js";
import { shownZone } from "../state.js";
import { offsetText } from "./announcement-text.js";
import { discordMessage } from "./discord-message.js";
import { problemText } from "./save-form.js";

/** @import { Fields, Preview } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/**
 * The changes of the announcement that are not saved yet; without any, its messages are those of what is stored. A new announcement
 * has no id.
 * @typedef {{ readonly id?: string, readonly changes: readonly Fields[] }} Draft
 */

/**
 * The messages of an announcement for its next events, as Discord shows them.
 * @param {App} app
 * @param {() => Draft} draftOf The announcement as the form has it.
 */
export function previewBox(app, draftOf) {
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
      const draft = draftOf();
      const previews = await previewsOf(app, draft);
      const label = draft.changes.length === 0 ? "preview_for" : "preview_draft";
      if (previews.length === 0) return show(t("preview_no_event"));
      show(...previews.flatMap((preview) => shown(app, preview, label)));
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

/** Events whose messages are shown. */
const SHOWN_EVENTS = 3;

/**
 * @param {App} app
 * @param {Draft} draft
 */
async function previewsOf({ api }, draft) {
  const { body } = await api.send("/v2/plan/preview", { ...draft, limit: SHOWN_EVENTS });
  return /** @type {readonly Preview[]} */ (body["previews"]);
}

/**
 * @param {App} app
 * @param {Preview} preview
 * @param {"preview_for" | "preview_draft"} label
 */
function shown(app, preview, label) {
  const { t, format, store } = app;
  const { epoch_start, messages, problem } = preview;
  return [
    element("p", { class: "hint" }, t(label, { time: format.instant(epoch_start, shownZone(store.state)) })),
    ...skipTexts(app, preview).map((text) => element("p", { class: "notice" }, text)),
    ...(problem === undefined ? [] : [element("p", { class: "notice warning" }, problem.message)]),
    ...messages.map((message) => discordMessage(app, message)),
  ];
}

/**
 * Why posts of the event will be skipped (D62, D66): one text if all are for the same reason, otherwise one for each offset.
 * @param {App} app
 * @param {Preview} preview
 * @returns {string[]}
 */
function skipTexts(app, { skip_reason, offsets = [] }) {
  const { t } = app;
  const textOf = (/** @type {string} */ reason) => `${t("story_will_be_skipped")} ${t("story_reason")}: ${reason}`;
  const reasons = new Set(offsets.length === 0 ? [skip_reason] : offsets.map((offset) => offset.skip_reason));
  const [reason] = reasons;
  if (reasons.size === 1) return reason === undefined ? [] : [textOf(reason)];
  return offsets.flatMap((offset) =>
    offset.skip_reason === undefined ? [] : [`${offsetText(app, offset)}: ${textOf(offset.skip_reason)}`],
  );
}
