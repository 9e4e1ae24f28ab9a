import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { ReasonCode } from "../../../contracts/dispatch.contract.ts";
import { type ForeseenSkip, SKIP_CODES } from "../../../contracts/pause.ts";
import { causeOfReason, LATE_WITH_REASON_MS } from "./late-reason.ts";
import type { Post } from "./post.ts";

/**
 * The beginnings of reasons, by code; `late-reason.ts` has those of late posts. A code is a label of a metric, so there
 * are few, and no text of a receiver makes a new one.
 */
const PREFIXES: readonly (readonly [code: ReasonCode, prefix: RegExp])[] = [
  ["PAUSED", /^paused until /],
  ["HOLIDAY", /^holiday: /],
  ["SUSPENDED", /^the announcement is suspended/],
  ["REFUSED", /^HTTP 4(?!29|08)/],
  ["CHANNEL_UNUSABLE", /^the channels? /],
  ["TOO_MANY_POSTS", /^more than \d+ (?:posts|occurrences) of the guild/],
  ["RECEIVER_LIMIT", /^(?:HTTP 429|rate limit)/],
  ["ATTEMPT_FAILED", /^(?:HTTP|E[A-Z]+$|timed out|socket|the receiver|the log|its deadline)/],
  ["POISON", /^poison/],
  ["NOT_RENDERED", /^it can't be rendered/],
  ["OWNERS_SILENT", /^(?:its event or announcement could not|the truth about it)/],
  ["WORKER_VANISHED", /^(?:its worker|only its first)/],
  ["NOT_TAKEN_UP", /^nothing could post it/],
  ["SINK_OFF", /^the sink /],
  ["ANNOUNCED_ALREADY", /^the event had been announced/],
  ["ANNOUNCEMENT_CHANGED", /^the announcement /],
  ["EVENT_CHANGED", /^the (?:event|series|calendar) /],
  ["DIGEST_EMPTY", /^no event in the days of the digest/],
];

/** The fields of a post that will be skipped for a reason; none without one. */
export function foreseenSkip(skipReason: string | undefined): ForeseenSkip {
  if (skipReason === undefined) return {};
  const code = reasonCode({ state: "skipped", reason: skipReason });
  return { ...definedFields({ skipCode: SKIP_CODES.find((each) => each === code) }), skipReason };
}

/** The codes of posts that are skipped at their due instant, and are not posted later. */
const SKIPPED_WHEN_DUE: readonly ReasonCode[] = [...SKIP_CODES, "DIGEST_EMPTY"];

/** Whether a post was skipped at its due instant: by a pause (D62), on a holiday (D66), or as a digest with nothing to list (D65). */
export function wasSkippedWhenDue(post: Pick<Post, "state" | "reason">): boolean {
  return post.state === "skipped" && SKIPPED_WHEN_DUE.some((code) => code === reasonCode(post));
}

/** The code of a settled post's reason; undefined if the post was sent in time, even after failed attempts. */
export function reasonCode({
  state,
  reason,
  lateMs = 0,
}: Pick<Post, "state" | "reason" | "lateMs">): ReasonCode | undefined {
  if (state === "sent" && lateMs <= LATE_WITH_REASON_MS) return undefined;
  if (reason === undefined) return "OTHER";
  return causeOfReason(reason) ?? PREFIXES.find(([, prefix]) => prefix.test(reason))?.[0] ?? "OTHER";
}
