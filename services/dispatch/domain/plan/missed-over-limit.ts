import type { GuildTruth } from "./plan-input.ts";
import type { Post } from "../post/post.ts";
import type { PassedOver } from "./select-soonest.ts";
import { settledPost } from "./settled-post.ts";
import { keyOf } from "./desired-posts.ts";

/**
 * The account of what no plan had room for before its time was over: a row for each announcement and sink, which stands for
 * all of them. A row each would be as much work as planning them.
 */
export function missedOut(
  passedOver: readonly PassedOver[],
  truth: GuildTruth,
  rows: ReadonlyMap<string, Post>,
): Post[] {
  return passedOver.flatMap(({ first, count, lastAt }) =>
    truth.sinks.map((sink): Post => {
      const { announcementId, occurrenceId, occurrence, announcement, time } = first;
      const { channel } = announcement;
      const wish = { announcementId, occurrenceId, startsAt: occurrence.startsAt, sink, channel, time };
      const round = (rows.get(keyOf(wish))?.round ?? 0) + 1;
      return settledPost(truth, wish, round, { state: "missed", reason: reasonFor(count, lastAt, truth.maxOpenPosts) });
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
