import { RequestError } from "../api.js";
import { element } from "../element.js";
import { canWrite } from "../state.js";
import { ask } from "./dialog.js";
import { problemText } from "./save-form.js";

/** @import { Fields } from "../model/types.ts" */
/** @import { App } from "../state.js" */
/** @import { WordKey } from "../words/words.js" */

/**
 * A row of an issued thing: a word and its value.
 * @typedef {readonly [key: WordKey, value: string | undefined]} Row
 */

/**
 * A button of an issued thing. Its accessible name has the name of the thing.
 * @typedef {{ key: WordKey, isDangerous?: boolean, run: () => void | Promise<void> }} Action
 */

/**
 * A webhook, a feed or a key, as the pages show it.
 * @typedef {{ id: string, name: string, tags: readonly string[], rows: readonly Row[], actions: readonly Action[] }} Issued
 */

/**
 * A page of things that have a secret: a list, and a button that creates one.
 * @param {App} app
 * @param {{ title: WordKey, create: WordKey, none: WordKey, hint: WordKey, onCreate: () => void, issued: readonly Issued[] }} page
 */
export function issuedPage(app, { title, create, none, hint, onCreate, issued }) {
  const { t, store } = app;
  const { isLoading } = store.state;
  return [
    element(
      "div",
      { class: "toolbar" },
      element("h1", {}, t(title)),
      canWrite(app)
        ? element("button", { type: "button", class: "primary", "data-key": create, onclick: onCreate }, t(create))
        : null,
    ),
    element("p", { class: "hint" }, t(hint)),
    issued.length === 0
      ? element("p", { class: "empty" }, t(isLoading ? "loading" : none))
      : element(
          "ul",
          { class: "cards" },
          issued.map((each) => element("li", {}, card(app, each))),
        ),
  ];
}

/**
 * @param {App} app
 * @param {Issued} issued
 */
function card(app, { id, name, tags, rows, actions }) {
  const { t } = app;
  const shown = rows.filter(([, value]) => value !== undefined);
  return element(
    "article",
    { class: "panel issued", "data-issued": id, "aria-label": name },
    element("h2", { class: "text" }, name),
    tags.map((tag) => element("span", { class: "tag" }, tag)),
    element(
      "dl",
      {},
      shown.flatMap(([key, value]) => [element("dt", {}, t(key)), element("dd", { class: "text" }, value)]),
    ),
    canWrite(app)
      ? element(
          "div",
          { class: "actions" },
          actions.map(({ key, isDangerous = false, run }) =>
            element(
              "button",
              {
                type: "button",
                class: isDangerous ? "danger" : "",
                "data-key": `${key} ${id}`,
                "aria-label": `${t(key)}: ${name}`,
                onclick: () => void run(),
              },
              t(key),
            ),
          ),
        )
      : null,
  );
}

/**
 * Sends a request of a page and reads the page again. Resolves with the response, or with undefined after a refusal, whose text is
 * announced.
 * @param {App} app
 * @param {string} path
 * @param {Fields} fields
 * @returns {Promise<Fields | undefined>}
 */
export async function sendAction(app, path, fields) {
  try {
    const { body } = await app.api.send(path, fields);
    await app.reload();
    return body;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    app.announce(problemText(app, error));
    if (error.status === 404) await app.reload();
    return undefined;
  }
}

/**
 * Asks before something ends for good, then sends the request.
 * @param {App} app
 * @param {{ title: string, text: WordKey, label: WordKey }} question
 * @param {string} path
 * @param {Fields} fields
 */
export async function removeAfterQuestion(app, { title, text, label }, path, fields) {
  const { t } = app;
  const choices = [{ value: /** @type {const} */ ("yes"), label: t(label), isDangerous: true }];
  if ((await ask(t, { title, text: t(text), choices })) === undefined) return;
  if ((await sendAction(app, path, fields)) !== undefined) app.announce(t("done"));
}

/**
 * Asks how long the former secret stays valid beside the new one; undefined if the secret shall not be replaced.
 * @param {App} app
 * @param {string} title
 * @returns {Promise<number | undefined>}
 */
export async function askOverlapHours({ t }, title) {
  const choice = await ask(t, {
    title,
    text: t("rotate_text"),
    choices: [
      { value: "24", label: t("rotate_overlap") },
      { value: "0", label: t("rotate_at_once"), isDangerous: true },
    ],
  });
  return choice === undefined ? undefined : Number(choice);
}
