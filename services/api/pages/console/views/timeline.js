import { RequestError } from "../api.js";
import { element } from "../element.js";
import { axisOf, countByKind, kindOf, marksOf, mergePosts, POST_KINDS, postKey } from "../model/post-timeline.js";
import { wallTime } from "../model/zoned-time.js";
import { loadOlderPosts } from "../load.js";
import { shownZone } from "../state.js";
import { eventNameOf, openPost } from "./post-dialog.js";
import { problemText } from "./save-form.js";

/** @import { PostKind } from "../model/post-timeline.js" */
/** @import { Post } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/** A sign for each kind beside its color, so that the color is not needed. */
const SIGNS = /** @type {Readonly<Record<PostKind, string>>} */ ({
  planned: "○",
  sending: "➤",
  in_doubt: "?",
  sent: "✓",
  late: "◷",
  missed: "✕",
  failed: "!",
  skipped: "↷",
  cancelled: "–",
});

/** Posts in the list, the nearest to now; others are on the axis, and in the list of their kind. */
const LISTED = 300;

/**
 * All posts of the guild on one axis: the plan and the history.
 * @param {App} app
 */
export function timelinePage(app) {
  const { t, store } = app;
  const { history, upcoming, postFilter, notPlanned, olderPosts, isLoading } = store.state;
  const all = mergePosts(history, upcoming);
  const posts = postFilter.length === 0 ? all : all.filter((post) => postFilter.includes(kindOf(post)));
  const now = Date.now();
  return [
    element("div", { class: "toolbar" }, element("h1", {}, t("timeline"))),
    kindChoice(app, all),
    axisView(app, posts, now),
    notPlanned === undefined ? null : element("p", { class: "notice" }, notPlanned),
    posts.length === 0 ? element("p", { class: "empty" }, t(isLoading ? "loading" : "no_posts")) : null,
    olderPosts === undefined
      ? null
      : element(
          "button",
          { type: "button", "data-key": "older", onclick: () => void showOlder(app) },
          t("older_posts"),
        ),
    postList(app, posts, now),
  ];
}

/** @param {App} app */
async function showOlder(app) {
  try {
    await loadOlderPosts(app);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    app.announce(problemText(app, error));
  }
}

/**
 * @param {App} app
 * @param {readonly Post[]} all
 */
function kindChoice({ t, store }, all) {
  const { postFilter } = store.state;
  const counts = countByKind(all);
  const toggle = (/** @type {PostKind} */ kind) =>
    store.update({
      postFilter: postFilter.includes(kind) ? postFilter.filter((each) => each !== kind) : [...postFilter, kind],
    });
  return element(
    "div",
    { role: "group", "aria-label": t("kinds"), class: "chips" },
    POST_KINDS.map((kind) =>
      element(
        "button",
        {
          type: "button",
          class: `kind ${kind}`,
          "data-key": `kind ${kind}`,
          "aria-pressed": String(postFilter.includes(kind)),
          onclick: () => toggle(kind),
        },
        sign(kind),
        ` ${t(`kind_${kind}`)} ${counts.get(kind) ?? 0}`,
      ),
    ),
  );
}

/** @param {PostKind} kind */
const sign = (kind) => element("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]);

/**
 * The axis with a mark for each post. The list has the same for readers of screens.
 * @param {App} app
 * @param {readonly Post[]} posts
 * @param {number} now
 */
function axisView({ t, format, store }, posts, now) {
  const zone = shownZone(store.state);
  const axis = axisOf(posts, now);
  const position = (/** @type {number} */ at) => `${(((at - axis.from) / (axis.to - axis.from)) * 100).toFixed(2)}%`;
  const marks = marksOf(posts, axis).map(({ kind, at, count }) =>
    element("span", {
      class: `mark ${kind}`,
      title: `${t(`kind_${kind}`)}: ${count}`,
      style: { left: `${(at * 100).toFixed(2)}%`, "--row": POST_KINDS.indexOf(kind) },
    }),
  );
  return element(
    "div",
    { class: "axis", "aria-hidden": "true" },
    element(
      "div",
      { class: "axis-marks" },
      marks,
      element("span", { class: "axis-now", style: { left: position(now) } }),
    ),
    element(
      "div",
      { class: "axis-ends" },
      element("span", {}, format.shortDate(wallTime(axis.from, zone).date)),
      element("span", {}, format.shortDate(wallTime(axis.to, zone).date)),
    ),
  );
}

/**
 * @param {App} app
 * @param {readonly Post[]} posts
 * @param {number} now
 */
function postList(app, posts, now) {
  const { t, format, store } = app;
  const zone = shownZone(store.state);
  const next = posts.findIndex(({ due }) => due > now);
  const middle = next === -1 ? posts.length : next;
  const from = Math.max(0, Math.min(middle - LISTED / 2, posts.length - LISTED));
  const items = [];
  let date = "";
  for (const [index, post] of posts.slice(from, from + LISTED).entries()) {
    if (from + index === middle) items.push(nowLine(app));
    const day = wallTime(post.due, zone).date;
    if (day !== date) items.push(element("li", { class: "date" }, element("h2", {}, format.longDate(day))));
    date = day;
    items.push(element("li", {}, postButton(app, post)));
  }
  if (middle >= from + items.length || middle === posts.length) items.push(nowLine(app));
  const hidden = posts.length - LISTED;
  return element(
    "div",
    {},
    hidden > 0 ? element("p", { class: "notice" }, t("not_listed", { count: hidden })) : null,
    element("ol", { class: "posts", "aria-label": t("timeline") }, items),
  );
}

/** @param {App} app */
const nowLine = ({ t }) => element("li", { class: "now-line" }, element("span", {}, t("now")));

/**
 * @param {App} app
 * @param {Post} post
 */
function postButton(app, post) {
  const { t, format, store } = app;
  const kind = kindOf(post);
  const time = format.time(post.due, shownZone(store.state));
  const reason = post.skip_reason ?? post.problem?.message ?? post.reason;
  return element(
    "button",
    { type: "button", class: `post ${kind}`, "data-key": `post ${postKey(post)}`, onclick: () => openPost(app, post) },
    sign(kind),
    element("span", { class: "post-time" }, time),
    element("span", { class: "post-event" }, eventNameOf(app, post)),
    element(
      "span",
      { class: "post-kind" },
      t(`kind_${kind}`),
      kind === "late" ? ` +${format.duration(post.late_ms ?? 0)}` : null,
    ),
    reason === undefined ? null : element("span", { class: "post-reason" }, reason),
  );
}
