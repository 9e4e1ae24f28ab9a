import { accessOf, Api, RequestError } from "../api.js";
import { element } from "../element.js";
import { field, textInput } from "./form-fields.js";
import { statusLine } from "./save-form.js";

/** @import { Session } from "../session.js" */
/** @import { Translate } from "../words/words.js" */

/**
 * The form for the key and the guild. `onSignedIn` gets both when the service has accepted them.
 * @param {Translate} t
 * @param {{ guild?: string, problem?: string }} known
 * @param {(session: Session, access: "read" | "write" | "operator") => void} onSignedIn
 */
export function signInPage(t, { guild = "", problem = "" }, onSignedIn) {
  const keyInput = textInput("key", {
    type: "password",
    autocomplete: "current-password",
    required: true,
    spellcheck: "false",
  });
  const guildInput = textInput("guild_id", { inputmode: "numeric", required: true, value: guild, maxlength: 20 });
  const button = element("button", { type: "submit", class: "primary" }, t("sign_in"));
  const form = element(
    "form",
    { class: "form panel", novalidate: true },
    element("h1", {}, t("sign_in_title")),
    field(t("key"), keyInput, { hint: t("key_hint") }),
    field(t("guild"), guildInput, { hint: t("guild_hint") }),
    statusLine(),
    element("div", { class: "actions" }, button),
  );
  const status = form.querySelector("[data-status]");
  status?.replaceChildren(problem);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const session = { key: keyInput.value.trim(), guild: guildInput.value.trim() };
    if (session.key === "" || session.guild === "") return status?.replaceChildren(t("sign_in_both"));
    button.disabled = true;
    status?.replaceChildren(t("loading"));
    accessOf(new Api(session.key, session.guild))
      .then((access) => onSignedIn(session, access))
      .catch((error) => {
        if (!(error instanceof RequestError)) throw error;
        const problems = error.problems.map(({ field: name, message }) => `${name} ${message}`).join("; ");
        status?.replaceChildren(error.status === 0 ? t("no_response") : problems === "" ? error.message : problems);
      })
      .finally(() => (button.disabled = false));
  });
  return form;
}
