import type { GuildTruth } from "./plan-truth.ts";
import { type Post, postId } from "./post.ts";
import type { PassedOver } from "./select-soonest.ts";
import { keyOf } from "./wishes.ts";

/**
 * The account of what no plan had room for before its time was over: a row for each announcement and sink, which stands for
 * all of them. A row each would be as much work as planning them.
 */
export function missedOut(
  passedOver: readonly PassedOver[],
  { guildId, now, sinks, version, maxOpenPosts }: GuildTruth,
  rows: ReadonlyMap<string, Post>,
): Post[] {
  return passedOver.flatMap(({ first, count, lastAt }) =>
    sinks.map((sink): Post => {
      const { announcementId, occurrenceId, occurrence, announcement, time } = first;
      const key = { announcementId, occurrenceId, startsAt: occurrence.startsAt, sink };
      const round = (rows.get(keyOf(key))?.round ?? 0) + 1;
      return {
        ...key,
        id: postId(key, round),
        guildId,
        round,
        channel: announcement.channel,
        dueAt: time.dueAt,
        wakeAt: time.dueAt,
        deadline: time.kind === "due" ? time.deadline : time.dueAt,
        state: "missed",
        planRevision: version + 1,
        fence: 0,
        attempts: 0,
        crashes: 0,
        delivered: [],
        reason: reasonFor(count, lastAt, maxOpenPosts),
        settledAt: now,
      };
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
