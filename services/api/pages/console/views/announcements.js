import { element } from "../element.js";
import { canWrite } from "../state.js";
import { openAnnouncement, openNewAnnouncement } from "./announcement-dialog.js";
import { coverText, leadText, pausedTag } from "./announcement-text.js";

/** @import { Announcement } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/**
 * The announcements of the guild.
 * @param {App} app
 */
export function announcementsPage(app) {
  const { t, store } = app;
  const { announcements, isLoading } = store.state;
  return [
    element(
      "div",
      { class: "toolbar" },
      element("h1", {}, t("announcements")),
      canWrite(app)
        ? element(
            "button",
            {
              type: "button",
              class: "primary",
              "data-key": "new announcement",
              onclick: () => openNewAnnouncement(app),
            },
            t("new_announcement"),
          )
        : null,
    ),
    announcements.length === 0
      ? element("p", { class: "empty" }, t(isLoading ? "loading" : "no_announcements"))
      : element(
          "ul",
          { class: "cards" },
          announcements.map((announcement) => element("li", {}, card(app, announcement))),
        ),
  ];
}

/**
 * @param {App} app
 * @param {Announcement} announcement
 */
function card(app, announcement) {
  const { t } = app;
  const { id, enabled, dangling, info, channel, paused_until } = announcement;
  return element(
    "button",
    {
      type: "button",
      class: "card",
      "data-key": `announcement ${id}`,
      "data-announcement": id,
      onclick: () => void openAnnouncement(app, id),
    },
    element("strong", {}, coverText(app, announcement)),
    element("span", {}, leadText(app, announcement).split(";")[0]),
    element("span", {}, `${t("channel")} ${channel}`),
    info === "" ? null : element("span", { class: "clipped" }, info),
    pausedTag(app, paused_until),
    enabled ? null : element("span", { class: "tag" }, t("disabled")),
    dangling === true ? element("span", { class: "tag warning" }, t("dangling")) : null,
  );
}
