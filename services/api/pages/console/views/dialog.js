import { element, focusKey } from "../element.js";

/** @import { Child } from "../element.js" */
/** @import { Translate } from "../words/words.js" */

/** @typedef {{ node: HTMLDialogElement, close: () => void }} OpenDialog */

let dialogs = 0;

/**
 * Opens a modal dialog. The browser keeps the focus in it and closes it at Escape; the focus returns to the element that had it,
 * or to the one with the same `data-key` if the view was rendered again.
 * @param {Translate} t
 * @param {string} title
 * @param {(close: () => void) => readonly Child[]} content
 * @returns {OpenDialog}
 */
export function openDialog(t, title, content) {
  const opener = document.activeElement;
  dialogs += 1;
  const titleId = `dialog-${dialogs}`;
  const close = () => node.close();
  const node = element(
    "dialog",
    { "aria-labelledby": titleId },
    element(
      "div",
      { class: "dialog-head" },
      element("h2", { id: titleId, tabindex: -1 }, title),
      element("button", { type: "button", class: "quiet", "aria-label": t("close"), onclick: close }, "✕"),
    ),
    ...content(close),
  );
  node.addEventListener("close", () => {
    node.remove();
    restoreFocus(opener);
  });
  document.body.append(node);
  node.showModal();
  return { node, close };
}

/** @param {Element | null} opener */
function restoreFocus(opener) {
  if (opener instanceof HTMLElement && opener.isConnected) return opener.focus();
  const key = opener?.getAttribute("data-key");
  if (key !== null && key !== undefined && focusKey(document.body, key)) return;
  document.querySelector("main")?.focus();
}

/**
 * Asks a question; resolves with the chosen value, or with undefined when the dialog is closed.
 * @template {string} T
 * @param {Translate} t
 * @param {{ title: string, text?: string, content?: Child, choices: readonly { value: T, label: string, isDangerous?: boolean }[] }} question
 * @returns {Promise<T | undefined>}
 */
export function ask(t, { title, text, content, choices }) {
  return new Promise((resolve) => {
    /** @type {T | undefined} */
    let chosen;
    const { node } = openDialog(t, title, (close) => [
      text === undefined ? null : element("p", {}, text),
      content,
      element(
        "div",
        { class: "actions column" },
        choices.map(({ value, label, isDangerous = false }) =>
          element(
            "button",
            {
              type: "button",
              class: isDangerous ? "danger" : "",
              "data-choice": value,
              onclick: () => {
                chosen = value;
                close();
              },
            },
            label,
          ),
        ),
        element("button", { type: "button", class: "quiet", onclick: close }, t("cancel")),
      ),
    ]);
    node.addEventListener("close", () => resolve(chosen));
  });
}

/**
 * Asks which occurrences of a series a change is for (D51).
 * @param {Translate} t
 * @param {string} title
 * @returns {Promise<"this" | "following" | "all" | undefined>}
 */
export const askScope = (t, title) =>
  ask(t, {
    title,
    choices: [
      { value: "this", label: t("scope_this") },
      { value: "following", label: t("scope_following") },
      { value: "all", label: t("scope_all") },
    ],
  });
