import { element } from "../element.js";
import { MESSAGE_STEPS } from "../model/choices.js";
import { kindOf } from "../model/post-timeline.js";
import { shownZone } from "../state.js";
import { coverText, leadText, offsetText } from "./announcement-text.js";
import { openDialog } from "./dialog.js";

/** @import { Announcement, Post } from "../model/types.ts" */
/** @import { App } from "../state.js" */
/** @import { WordKey } from "../words/words.js" */

/**
 * The name of a post's event; the id of one that was deleted. A digest has what its announcement covers.
 * @param {App} app
 * @param {Post} post
 */
export function eventNameOf(app, { event_id, announcement_id }) {
  const { t, store } = app;
  const announcement = store.state.announcements.find(({ id }) => id === announcement_id);
  if (isDigestId(event_id) && announcement !== undefined) return coverText(app, announcement);
  const name = store.state.eventNames.get(event_id);
  if (name === undefined) return t("event_gone", { id: event_id });
  return name === "" ? t("no_name") : name;
}

/**
 * Ids of events begin with e.
 * @param {string} id
 */
const isDigestId = (id) => id.startsWith("d");

/**
 * Opens the whole story of a post: why it exists, when it is due, and what has happened.
 * @param {App} app
 * @param {Post} post
 */
export function openPost(app, post) {
  const { t } = app;
  openDialog(t, eventNameOf(app, post), () => [
    element("p", { class: `story ${kindOf(post)}` }, t(storyOf(post))),
    element(
      "dl",
      {},
      storyRows(app, post).flatMap(([name, value]) => [
        element("dt", {}, name),
        element("dd", { class: "text" }, value),
      ]),
    ),
  ]);
}

/**
 * The word of a post's story.
 * @param {Post} post
 * @returns {WordKey}
 */
function storyOf(post) {
  const kind = kindOf(post);
  if (kind === "late") return "story_was_late";
  if (kind === "planned" && post.computed === true) return "story_computed";
  return kind === "skipped" && post.skip_code !== undefined ? "story_will_be_skipped" : `story_${kind}`;
}

/**
 * What happened to a message, in words. A newer service may have further steps.
 * @param {App} app
 * @param {string} step
 */
function stepName({ t }, step) {
  const known = MESSAGE_STEPS.find((each) => each === step);
  return known === undefined ? step : t(`step_${known}`);
}

/**
 * By which offset or lead time a post is due, and what its announcement covers.
 * @param {App} app
 * @param {Post} post
 * @param {Announcement} announcement
 */
function whyText(app, { anchor, offset_minutes: minutes }, announcement) {
  if (anchor === undefined || minutes === undefined) return leadText(app, announcement);
  return `${offsetText(app, { anchor, minutes })}; ${coverText(app, announcement)}`;
}

/**
 * The known facts of a post in the order of time.
 * @param {App} app
 * @param {Post} post
 * @returns {(readonly [name: string, value: string])[]}
 */
function storyRows(app, post) {
  const { t, format, store } = app;
  const zone = shownZone(store.state);
  const at = (/** @type {number | undefined} */ instant) =>
    instant === undefined ? undefined : format.instant(instant, zone);
  const announcement = store.state.announcements.find(({ id }) => id === post.announcement_id);
  /** @type {(readonly [name: string, value: string | undefined])[]} */
  const rows = [
    [t("story_why"), announcement === undefined ? t("announcement_gone") : whyText(app, post, announcement)],
    [t("story_starts"), at(post.epoch_start)],
    [t("story_due"), at(post.due)],
    [t("story_attempts"), post.attempts === undefined ? undefined : String(post.attempts)],
    [t("story_in_doubt_since"), at(post.in_doubt_since)],
    [t("story_lease"), at(post.lease_until)],
    [t("story_next_try"), at(post.next_try)],
    [t("story_claimed"), at(post.claimed)],
    [t("story_settled"), at(post.settled)],
    [t("story_late"), post.late_ms === undefined ? undefined : format.duration(post.late_ms)],
    [t("story_reason"), post.skip_reason ?? post.reason],
    [t("story_reason_code"), post.skip_code ?? post.reason_code],
    [t("story_problem"), post.problem?.message],
    [t("story_message"), post.message_id],
    ...(post.steps ?? []).map(
      ({ step, at: stepAt, reason }) =>
        /** @type {const} */ ([
          stepName(app, step),
          [at(stepAt), reason].filter((part) => part !== undefined).join(": "),
        ]),
    ),
    [t("channel"), post.channel],
    [t("story_event"), post.event_id],
    [t("story_announcement"), post.announcement_id],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]]));
}
