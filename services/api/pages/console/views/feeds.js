import { element } from "../element.js";
import { COLORS, colorName } from "../model/choices.js";
import { shownZone } from "../state.js";
import { ask, openDialog } from "./dialog.js";
import { field, select, textInput } from "./form-fields.js";
import { issuedPage, removeAfterQuestion, sendAction } from "./issued-page.js";
import { saveForm, statusLine } from "./save-form.js";
import { showSecret } from "./secret.js";

/** @import { Feed } from "../model/types.ts" */
/** @import { App } from "../state.js" */
/** @import { Issued } from "./issued-page.js" */

/**
 * The feeds of the guild's calendars (D47).
 * @param {App} app
 */
export const feedsPage = (app) =>
  issuedPage(app, {
    title: "feeds",
    create: "new_feed",
    none: "no_feeds",
    hint: "feeds_hint",
    onCreate: () => openNewFeed(app),
    issued: app.store.state.feeds.map((feed) => issuedFeed(app, feed)),
  });

/**
 * @param {App} app
 * @param {Feed} feed
 * @returns {Issued}
 */
function issuedFeed(app, { id, calendar_number, color, label, created, rotated, last_used }) {
  const { t, format, store } = app;
  const { calendars } = store.state;
  const zone = shownZone(store.state);
  const timeOf = (/** @type {number | undefined} */ instant) =>
    instant === undefined ? undefined : format.instant(instant, zone);
  const calendar = calendars.find((each) => each.calendar_number === calendar_number)?.name;
  const name = label === "" ? `${t("feed")} ${id}` : label;
  return {
    id,
    name,
    tags: color === undefined ? [] : [color === "NONE" ? t("no_color") : colorName(color)],
    rows: [
      ["calendar", calendar ?? t("calendar_number", { number: calendar_number })],
      ["created_at", timeOf(created)],
      ["rotated_at", timeOf(rotated)],
      ["last_used", timeOf(last_used) ?? t("never")],
    ],
    actions: [
      { key: "rotate", run: () => rotate(app, id, name) },
      {
        key: "revoke",
        isDangerous: true,
        run: () =>
          removeAfterQuestion(
            app,
            { title: t("revoke_title", { name }), text: "revoke_feed_text", label: "revoke" },
            "/v2/calendar/feeds/revoke",
            { id },
          ),
      },
    ],
  };
}

/**
 * The address of a feed, which contains its token.
 * @param {App} app
 * @param {Readonly<Record<string, unknown>>} body
 */
const showAddress = (app, body) => showSecret(app, app.t("feed_address"), app.api.addressOf(String(body["path"])));

/**
 * @param {App} app
 * @param {string} id
 * @param {string} name
 */
async function rotate(app, id, name) {
  const { t } = app;
  const choices = [{ value: /** @type {const} */ ("yes"), label: t("rotate"), isDangerous: true }];
  const title = t("rotate_title", { name });
  if ((await ask(t, { title, text: t("rotate_feed_text"), choices })) === undefined) return;
  const body = await sendAction(app, "/v2/calendar/feeds/rotate", { id });
  if (body !== undefined) showAddress(app, body);
}

/** @param {App} app */
function openNewFeed(app) {
  const { t, store } = app;
  const calendars = store.state.calendars.map(({ calendar_number, name }) => ({
    value: String(calendar_number),
    label: name,
  }));
  const colors = COLORS.map((value) => ({ value, label: value === "NONE" ? t("no_color") : colorName(value) }));
  const calendar = select("calendar_number", calendars[0]?.value ?? "1", calendars);
  const color = select("color", "", [{ value: "", label: t("every_color") }, ...colors]);
  const label = textInput("label", { maxlength: 100 });
  openDialog(t, t("new_feed"), (close) => {
    const form = element(
      "form",
      { class: "form", novalidate: true },
      field(t("label"), label, { hint: t("label_hint") }),
      field(t("calendar"), calendar),
      field(t("value_color"), color),
      statusLine(),
      element("div", { class: "actions" }, element("button", { type: "submit", class: "primary" }, t("create"))),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void saveForm(app, form, async () => {
        const { body } = await app.api.send("/v2/calendar/feeds/create", {
          calendar_number: Number(calendar.value),
          label: label.value,
          ...(color.value === "" ? {} : { color: color.value }),
        });
        close();
        showAddress(app, body);
        await app.reload();
      });
    });
    return [form];
  });
}
