import type { FireTime } from "./fire-time.ts";
import type { GuildTruth } from "./plan-input.ts";
import { type Post, postId, type PostKey } from "../post/post.ts";

/** A post that is given its outcome with its row: it was never planned. */
export function settledPost(
  { guildId, now, version }: Pick<GuildTruth, "guildId" | "now" | "version">,
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
