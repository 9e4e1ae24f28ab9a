import type { ReasonCode } from "../../../contracts/dispatch.contract.ts";
import { causeNamedIn, LATE_WITH_REASON_MS } from "./late-reason.ts";
import type { Post } from "./post.ts";

/**
 * What the reasons of each code begin with, beside those that say what a late post waited for. A code is a label of a
 * metric: there are few, and whatever a receiver writes into its answers makes no new one.
 */
const BEGINS: readonly (readonly [code: ReasonCode, begins: RegExp])[] = [
  ["SUSPENDED", /^the announcement is suspended/],
  ["REFUSED", /^HTTP 4(?!29|08)/],
  ["CHANNEL_UNUSABLE", /^the channels? /],
  ["TOO_MANY_POSTS", /^more than \d+ (?:posts|occurrences) of the guild/],
  ["RECEIVER_LIMIT", /^(?:HTTP 429|rate limit)/],
  ["ATTEMPT_FAILED", /^(?:HTTP|E[A-Z]+$|timed out|socket|the receiver|the log|its deadline)/],
  ["POISON", /^poison/],
  ["NOT_RENDERED", /^it can't be rendered/],
  ["OWNERS_SILENT", /^the truth about it/],
  ["WORKER_VANISHED", /^(?:its worker|only its first)/],
  ["NOT_TAKEN_UP", /^nothing could post it/],
  ["SINK_OFF", /^the sink /],
  ["ANNOUNCED_ALREADY", /^the event had been announced/],
  ["ANNOUNCEMENT_CHANGED", /^the announcement /],
  ["EVENT_CHANGED", /^the event /],
];

/** The kind of a settled post's reason; undefined for one that was sent in time, whatever its earlier attempts met. */
export function reasonCode({
  state,
  reason,
  lateMs = 0,
}: Pick<Post, "state" | "reason" | "lateMs">): ReasonCode | undefined {
  if (state === "sent" && lateMs <= LATE_WITH_REASON_MS) return undefined;
  if (reason === undefined) return "OTHER";
  return causeNamedIn(reason) ?? BEGINS.find(([, begins]) => begins.test(reason))?.[0] ?? "OTHER";
}
