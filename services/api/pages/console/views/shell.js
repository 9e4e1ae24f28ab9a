import { element } from "../element.js";
import { LANGUAGE_NAMES } from "../format.js";
import { hashOfState } from "../state.js";
import { select } from "./form-fields.js";

/** @import { Language } from "../format.js" */
/** @import { State } from "../state.js" */
/** @import { Translate } from "../words/words.js" */

const THEMES = /** @type {const} */ (["system", "light", "dark"]);
/** @typedef {(typeof THEMES)[number]} Theme */

/**
 * @typedef {object} Chrome
 * @property {Translate} t
 * @property {Language} language
 * @property {Theme} theme
 * @property {(language: Language) => void} onLanguage
 * @property {(theme: Theme) => void} onTheme
 */

/**
 * The header with the choices that every page has. `signedIn` has the guild and the action of the button that signs out.
 * @param {Chrome} chrome
 * @param {{ guild: string, isReadOnly: boolean, onSignOut: () => void }} [signedIn]
 */
export function headerView({ t, language, theme, onLanguage, onTheme }, signedIn) {
  const languages = Object.entries(LANGUAGE_NAMES).map(([value, label]) => ({ value, label }));
  const themes = THEMES.map((value) => ({ value, label: t(`theme_${value}`) }));
  const valueOf = (/** @type {Event} */ { target }) => /** @type {HTMLSelectElement} */ (target).value;
  return element(
    "header",
    {},
    element("a", { href: "#content", class: "skip", onclick: skipToContent }, t("skip")),
    element("span", { class: "brand" }, "guildcal"),
    signedIn === undefined ? null : element("span", { class: "guild" }, t("guild_shown", { guild: signedIn.guild })),
    signedIn?.isReadOnly === true ? element("span", { class: "tag" }, t("read_only")) : null,
    element("span", { class: "space" }),
    select("language", language, languages, {
      "aria-label": t("language"),
      "data-key": "language",
      onchange: (/** @type {Event} */ event) => onLanguage(/** @type {Language} */ (valueOf(event))),
    }),
    select("theme", theme, themes, {
      "aria-label": t("theme"),
      "data-key": "theme",
      onchange: (/** @type {Event} */ event) => onTheme(/** @type {Theme} */ (valueOf(event))),
    }),
    signedIn === undefined ? null : element("button", { type: "button", onclick: signedIn.onSignOut }, t("sign_out")),
  );
}

/** @param {Event} event */
function skipToContent(event) {
  event.preventDefault();
  document.querySelector("main")?.focus();
}

/**
 * The links to the pages.
 * @param {Translate} t
 * @param {State} state
 * @param {readonly State["page"][]} pages
 */
export const navigationView = (t, state, pages) =>
  element(
    "nav",
    { "aria-label": t("pages") },
    pages.map((page) =>
      element(
        "a",
        {
          href: hashOfState({ ...state, page }),
          "data-key": `page ${page}`,
          "aria-current": page === state.page ? "page" : undefined,
        },
        t(page),
      ),
    ),
  );

/**
 * The line that says that the service cannot be reached, or why the page could not be read.
 * @param {Translate} t
 * @param {State} state
 */
export function connectionText(t, { connection, problem }) {
  if (connection === "lost") return t("connection_lost");
  if (problem !== "") return problem;
  return connection === "polling" ? t("connection_polling") : "";
}
