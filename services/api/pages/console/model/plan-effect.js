/** @import { PlanDiff } from "./types.ts" */

const EFFECTS = /** @type {const} */ (["appear", "vanish", "move", "change"]);

/**
 * The effects that a comparison of plans has found, with the key of their words and the number of posts.
 * @param {PlanDiff} diff
 */
export const effectsIn = (diff) =>
  EFFECTS.filter((effect) => diff[effect] > 0).map((effect) => ({
    key: /** @type {const} */ (`effect_${effect}_${diff[effect] === 1 ? "one" : "other"}`),
    count: diff[effect],
  }));

/** A comparison reaches 366 days ahead; one that ends a day earlier was shortened (D58). */
const WHOLE_DAYS = 365;
const DAY_MS = 86_400_000;

/**
 * The instant at which a comparison ends that is shorter than a year; undefined for a whole one.
 * @param {PlanDiff} diff
 * @param {number} now
 */
export const shortenedEnd = ({ compared_until }, now) =>
  compared_until < now + WHOLE_DAYS * DAY_MS ? compared_until : undefined;
