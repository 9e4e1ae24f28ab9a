import type { Post } from "./post.ts";

/**
 * The classes of reasons, each with what its reasons begin with. A class is a label of a metric: there are few, and
 * whatever a receiver writes into its answers makes no new one.
 */
const CLASSES: readonly (readonly [label: string, begins: RegExp])[] = [
  ["suspended", /^the announcement is suspended/],
  ["refused", /^HTTP 4(?!29|08)/],
  ["channel can't be used", /^the channels? /],
  ["receiver in trouble", /^(?:HTTP|E[A-Z]+$|timed out|rate limit|socket|the receiver|the log)/],
  ["poison", /^poison/],
  ["not rendered", /^it can't be rendered/],
  ["truth not to be had", /^the truth about it/],
  ["worker vanished", /^(?:its worker|only its first)/],
  ["nobody was there", /^nothing could post it/],
  ["too many posts", /^more than \d+ posts of the guild/],
  ["its turn did not come", /^its turn/],
  ["sink switched off", /^the sink /],
  ["announced already", /^the event had been announced/],
  ["announcement changed", /^the announcement /],
  ["event changed", /^the event /],
];

const OTHER = "other";

/** Every class that an outcome's reason may have, but for "" of one that was sent. */
export const REASON_CLASSES: readonly string[] = [...CLASSES.map(([label]) => label), OTHER];

/** What kind of reason a settled post has: "" for one that was sent, "other" for a reason of no class. */
export function reasonClass({ state, reason }: Pick<Post, "state" | "reason">): string {
  if (state === "sent") return "";
  return CLASSES.find(([, begins]) => begins.test(reason ?? ""))?.[0] ?? OTHER;
}
