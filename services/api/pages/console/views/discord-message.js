import { element } from "../element.js";
import { hexColor, partsOf } from "../model/discord-markup.js";
import { shownZone } from "../state.js";

/** @import { Part } from "../model/discord-markup.js" */
/** @import { Embed, Message } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/** @type {Readonly<Record<Exclude<Part["kind"], "text" | "break">, "b" | "i" | "u" | "s" | "code" | "span">>} */
const TAGS = { bold: "b", italic: "i", underline: "u", strike: "s", code: "code", mention: "span", time: "span" };

/**
 * A message as Discord's client shows it. Images are named and not loaded: the console requests nothing from other hosts.
 * @param {App} app
 * @param {Message} message
 */
export function discordMessage(app, { content = "", embeds = [] }) {
  return element(
    "article",
    { class: "discord" },
    element("div", { class: "avatar", "aria-hidden": "true" }, "g"),
    element(
      "div",
      { class: "discord-body" },
      element("strong", {}, "guildcal"),
      element("span", { class: "app-tag" }, "APP"),
      content === "" ? null : element("div", {}, markup(app, content)),
      embeds.map((embed) => embedBox(app, embed)),
    ),
  );
}

/**
 * @param {App} app
 * @param {Embed} embed
 */
function embedBox(app, { author, title = "", description = "", color, fields = [], image, footer }) {
  const block = (/** @type {string} */ name, text = "") =>
    text === "" ? null : element("div", { class: name }, markup(app, text));
  return element(
    "div",
    { class: "embed", style: { "border-color": hexColor(color) } },
    block("embed-author", author?.name),
    block("embed-title", title),
    block("embed-description", description),
    element(
      "div",
      { class: "embed-fields" },
      fields.map(({ name, value, inline }) =>
        element(
          "div",
          { class: inline ? "inline-field" : "whole-field" },
          element("b", { class: "field-name" }, markup(app, name)),
          markup(app, value),
        ),
      ),
    ),
    image === undefined ? null : element("div", { class: "embed-image" }, image.url),
    block("embed-footer", footer?.text),
  );
}

/**
 * @param {App} app
 * @param {string} text
 */
function markup({ format, store }, text) {
  const zone = shownZone(store.state);
  const now = Date.now();
  const parts = partsOf(text, (seconds, style) => format.discordTime(seconds * 1000, style, zone, now));
  return parts.map(({ kind, text: inner }) => {
    if (kind === "text") return inner;
    if (kind === "break") return element("br");
    return element(TAGS[kind], { class: kind }, inner);
  });
}
