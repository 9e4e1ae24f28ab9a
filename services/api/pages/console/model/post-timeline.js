/** @import { Post } from "./types.ts" */

/**
 * The kinds of posts of the timeline in the order of their legend. A sent post is late from 5 s on (D44). A post is in doubt
 * while it is looked up, and when its outcome stays unknown.
 * A planned post that will be skipped when it is due (D62) is skipped.
 */
export const POST_KINDS = /** @type {const} */ ([
  "planned",
  "sending",
  "in_doubt",
  "sent",
  "late",
  "missed",
  "failed",
  "skipped",
  "cancelled",
]);
/** @typedef {(typeof POST_KINDS)[number]} PostKind */

const LATE_MS = 5_000;

/**
 * @param {Post} post
 * @returns {PostKind}
 */
export function kindOf({ state, in_doubt_since, late_ms = 0, skip_code }) {
  if (state === "unknown" || (state === "sending" && in_doubt_since !== undefined)) return "in_doubt";
  if (state === "sent") return late_ms > LATE_MS ? "late" : "sent";
  if (state === "planned" && skip_code !== undefined) return "skipped";
  return POST_KINDS.find((kind) => kind === state) ?? "in_doubt";
}

/**
 * The identity of a post: an announcement posts once for each start of an occurrence (D32), and with offsets for each of them (D54).
 * @param {Post} post
 */
export const postKey = ({ announcement_id, event_id, epoch_start, anchor, offset_minutes }) =>
  [announcement_id, event_id, epoch_start, anchor, offset_minutes].join(" ");

/**
 * One list of the history and the plan, the earliest first. A post that was settled between the two reads is in both: its outcome
 * counts.
 * @param {readonly Post[]} history
 * @param {readonly Post[]} upcoming
 * @returns {Post[]}
 */
export function mergePosts(history, upcoming) {
  const posts = [...new Map([...upcoming, ...history].map((post) => [postKey(post), post])).values()];
  return posts.sort((left, right) => left.due - right.due || (postKey(left) < postKey(right) ? -1 : 1));
}

/**
 * The posts of each kind.
 * @param {readonly Post[]} posts
 * @returns {Map<PostKind, number>}
 */
export function countByKind(posts) {
  const counts = new Map(POST_KINDS.map((kind) => [kind, 0]));
  for (const post of posts) counts.set(kindOf(post), (counts.get(kindOf(post)) ?? 0) + 1);
  return counts;
}

/**
 * The axis of the posts: from the first to the last one, and at least an hour on both sides of now.
 * @param {readonly Post[]} posts Sorted by due.
 * @param {number} now
 */
export function axisOf(posts, now) {
  const margin = 3_600_000;
  return {
    from: Math.min(posts[0]?.due ?? now, now) - margin,
    to: Math.max(posts.at(-1)?.due ?? now, now) + margin,
  };
}

/** Marks of one kind that would be closer than this part of the axis are one mark. */
const CELLS = 120;

/**
 * The marks of the axis: where posts are, of what kind, and how many. The position is a part of the axis, 0 to 1.
 * @param {readonly Post[]} posts
 * @param {{ from: number, to: number }} axis
 * @returns {{ kind: PostKind, at: number, count: number }[]}
 */
export function marksOf(posts, { from, to }) {
  /** @type {Map<string, { kind: PostKind, at: number, count: number }>} */
  const marks = new Map();
  for (const post of posts) {
    if (post.due < from || post.due > to) continue;
    const cell = Math.floor(((post.due - from) / (to - from)) * CELLS);
    const kind = kindOf(post);
    const mark = marks.get(`${kind} ${cell}`);
    if (mark === undefined) marks.set(`${kind} ${cell}`, { kind, at: cell / CELLS, count: 1 });
    else mark.count += 1;
  }
  return [...marks.values()];
}

/** A plan follows a change within this time, unless dispatch has much to do. */
const PLANNING_MS = 10_000;
/** Interval between readings of posts that change without a change of the guild. */
const REREAD_MS = 3_000;

/**
 * Milliseconds after which the posts are read again: while a change is being planned, and while a post is being sent. The stream of
 * changes has the outcome of a post, but not its planning and its attempts. Undefined if nothing is expected.
 * @param {readonly Post[]} upcoming
 * @param {{ now: number, changedAt: number }} times `changedAt` is the time of the last change of the guild.
 */
export function rereadAfter(upcoming, { now, changedAt }) {
  const isExpected = now - changedAt < PLANNING_MS || upcoming.some(({ due }) => due <= now + REREAD_MS);
  return isExpected ? REREAD_MS : undefined;
}
