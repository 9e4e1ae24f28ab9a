import { type Post, postId, type PostKey } from "../post/post.ts";
import type { FireTime } from "./fire-time.ts";
import type { PlanInput } from "./plan-input.ts";

/** Makes a row that has its outcome from the start: the post was never planned. */
export function settledPost(
  { guildId, now, version }: Pick<PlanInput, "guildId" | "now" | "version">,
  { channel, time, ...key }: PostKey & { readonly channel: string; readonly time: FireTime },
  round: number,
  outcome: { readonly state: "missed" | "cancelled" | "skipped"; readonly reason: string },
): Post {
  return {
    ...key,
    id: postId(key, round),
    guildId,
    round,
    channel,
    dueAt: time.dueAt,
    wakeAt: time.dueAt,
    deadline: time.kind === "due" ? time.deadline : time.dueAt,
    planRevision: version + 1,
    fence: 0,
    attempts: 0,
    crashes: 0,
    delivered: [],
    settledAt: now,
    ...outcome,
  };
}
