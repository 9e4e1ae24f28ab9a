import type { Post } from "../post/post.ts";
import { postKey } from "./desired-posts.ts";
import { timesInKey } from "./offsets.ts";
import type { PlanInput } from "./plan-input.ts";
import type { ExpiredCandidates } from "./select-soonest.ts";
import { settledPost } from "./settled-post.ts";

/**
 * Makes the `missed` rows of posts whose deadline passed while the guild had `maxOpenPosts` open posts (D39). A plan makes
 * one row for each announcement and sink: a row for each post would take as much work as planning it.
 *
 * @param rows - The latest row of each post, by `postKey`.
 */
export function missedOverLimit(
  expired: readonly ExpiredCandidates[],
  input: PlanInput,
  rows: ReadonlyMap<string, Post>,
): Post[] {
  return expired.flatMap(({ first, count, lastAt }) =>
    input.sinks.map((sink): Post => {
      const { announcementId, occurrenceId, occurrence, announcement, ruleOffset, time } = first;
      const { channel } = announcement;
      const post = { announcementId, occurrenceId, ...timesInKey(occurrence, ruleOffset), sink, channel, time };
      const round = (rows.get(postKey(post))?.round ?? 0) + 1;
      return settledPost(input, post, round, { state: "missed", reason: reasonFor(count, lastAt, input.maxOpenPosts) });
    }),
  );
}

function reasonFor(count: number, lastAt: number, maxOpenPosts: number): string {
  const why = `more than ${maxOpenPosts} posts of the guild were to be planned before it`;
  const others = count - 1;
  if (others === 0) return why;
  const posts = others === 1 ? "1 other post" : `${others} other posts`;
  return `${why}; this row stands for ${posts} of the announcement, due until ${new Date(lastAt).toISOString()}`;
}
