import { RequestError } from "../api.js";
import { element } from "../element.js";
import { effectsIn, shortenedEnd } from "../model/plan-effect.js";
import { shownZone } from "../state.js";
import { problemText } from "./save-form.js";

/** @import { DraftedPost, Fields, PlanDiff, PostDifference } from "../model/types.ts" */
/** @import { App } from "../state.js" */

/** Pause in typing before the entries are compared. */
const PAUSE_MS = 600;
/** Least time until the same entries are compared again, if the service could not compare them. */
const RETRY_MS = 2_000;

/**
 * The effect of a form on the posts before the form is saved: a dry run of its request (D64). It shows how many posts appear, vanish,
 * move or change, and on demand each of them with its text.
 * @param {App} app
 * @param {string} path The endpoint to which the form is sent.
 * @param {() => Fields | undefined | Promise<Fields | undefined>} fieldsOf The fields of the request; undefined if nothing was changed.
 */
export function planEffect(app, path, fieldsOf) {
  const { t, api } = app;
  const summary = element("p", { role: "status" }, t("effect_unchanged"));
  const details = element("div");
  const node = element("section", { class: "effect", "aria-label": t("effect") }, summary, details);
  let requests = 0;

  const show = (/** @type {string} */ text, /** @type {readonly Node[]} */ posts = []) => {
    // A text that is set again would be read again.
    if (summary.textContent !== text) summary.textContent = text;
    details.replaceChildren(...posts);
  };

  const compare = async () => {
    requests += 1;
    const request = requests;
    try {
      const fields = await fieldsOf();
      if (request !== requests) return;
      if (fields === undefined) return show(t("effect_unchanged"));
      show(t("loading"));
      const { body } = await api.send(path, { ...fields, dry_run: true });
      const diff = /** @type {PlanDiff} */ (/** @type {unknown} */ (body));
      // The response to an earlier request may come later.
      if (request === requests) show(effectText(app, diff), postsView(app, diff));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (request !== requests) return;
      show(unknownText(app, error));
      // Comparisons have turns: the service may compare the same entries later.
      if (error.status === 429 || error.isOutage) compareIn(Math.max(RETRY_MS, error.retryAfterSeconds * 1000));
    }
  };

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /**
   * Compares after a time, if the form is still open then.
   * @param {number} ms
   */
  const compareIn = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (node.isConnected) void compare();
    }, ms);
  };
  const refreshSoon = () => compareIn(PAUSE_MS);
  /** Shows that the form has no changes any more. */
  const reset = () => {
    clearTimeout(timer);
    requests += 1;
    show(t("effect_unchanged"));
  };
  return { node, refresh: () => void compare(), refreshSoon, reset };
}

/**
 * The effect of a request whose fields are known.
 * @param {App} app
 * @param {string} path
 * @param {Fields} fields
 */
export function knownEffect(app, path, fields) {
  const effect = planEffect(app, path, () => fields);
  effect.refresh();
  return effect.node;
}

/**
 * Adds the effect to a form, above its buttons.
 * @param {HTMLFormElement} form
 * @param {ReturnType<typeof planEffect>} effect
 */
export function showEffectIn(form, effect) {
  form.querySelector(".actions")?.before(effect.node);
  form.addEventListener("input", effect.refreshSoon);
}

/**
 * @param {App} app
 * @param {PlanDiff} diff
 */
function effectText({ t }, diff) {
  const effects = effectsIn(diff).map(({ key, count }) => t(key, { count }));
  return effects.length === 0 ? t("effect_none") : t("effect_sum", { effects: effects.join(", ") });
}

/**
 * Why the effect is not known: the entries are incomplete, or the service cannot compare now. Neither keeps the form from being sent.
 * @param {App} app
 * @param {RequestError} error
 */
function unknownText(app, error) {
  const problems = error.problems.map(({ field, message }) => `${field} ${message}.`);
  return [app.t("effect_unknown"), ...(problems.length > 0 ? problems : [problemText(app, error)])].join(" ");
}

/**
 * The posts, soonest first, closed at the beginning.
 * @param {App} app
 * @param {PlanDiff} diff
 */
function postsView(app, diff) {
  const { t, format, store } = app;
  const end = shortenedEnd(diff, Date.now());
  const until = end === undefined ? [] : [t("effect_until", { time: format.instant(end, shownZone(store.state)) })];
  const listed = diff.more ? [t("effect_more", { count: diff.posts.length })] : [];
  const notes = [...until, ...listed].map((text) => element("p", { class: "hint" }, text));
  if (diff.posts.length === 0) return notes;
  const posts = diff.posts.map((post) => element("li", {}, postView(app, post)));
  return [element("details", {}, element("summary", {}, t("effect_posts")), ...notes, element("ul", {}, posts))];
}

/**
 * @param {App} app
 * @param {PostDifference} post
 */
function postView(app, post) {
  const { t, format, store } = app;
  const timeOf = (/** @type {DraftedPost} */ { due }) => format.instant(due, shownZone(store.state));
  const { effect, before } = post;
  const isMoved = before !== undefined && before.due !== post.due;
  return [
    element("p", {}, element("span", { class: "tag" }, t(`effect_${effect}`)), ` ${timeOf(post)}`),
    isMoved ? element("p", { class: "hint" }, t("effect_was", { time: timeOf(before) })) : null,
    element("p", { class: "text" }, post.text),
  ];
}
