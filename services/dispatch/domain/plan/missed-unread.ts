import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import { MAX_ENTRIES } from "../../../contracts/calendar-events.contract.ts";
import type { GuildTruth } from "./plan-input.ts";
import type { Post } from "../post/post.ts";
import { settledPost } from "./settled-post.ts";
import { keyOf } from "./desired-posts.ts";

/**
 * The account of what was due and never read, as more occurrences than are read at a time were due nearly at once: a row for
 * each announcement that may cover one of them, and sink. Its start is the instant after the last that was read.
 */
export function notRead(truth: GuildTruth, rows: ReadonlyMap<string, Post>): Post[] {
  const { lastKnown, through, now, sinks, announcements, sinksOnSince = {} } = truth;
  if (lastKnown === undefined || through > now) return [];
  const { occurrenceId } = lastKnown;
  const startsAt = lastKnown.startsAt + 1;
  const mayCover = announcements.filter((rule) => rule.standsSince < through && mayCoverOthers(rule, truth));
  return mayCover.flatMap(({ id: announcementId, channel }) =>
    sinks.flatMap((sink): Post[] => {
      const time = { kind: "due", dueAt: through, deadline: through } as const;
      const wish = { announcementId, occurrenceId, startsAt, sink, channel, time };
      if (through < (sinksOnSince[sink] ?? 0) || rows.has(keyOf(wish))) return [];
      return [settledPost(truth, wish, 1, { state: "missed", reason: REASON })];
    }),
  );
}

const REASON = `more than ${MAX_ENTRIES} occurrences of the guild were due nearly at once; this row stands for the posts of the announcement for those that were not read`;

function mayCoverOthers({ enabled, type, eventId }: AnnouncementRule, { occurrences }: GuildTruth): boolean {
  if (!enabled) return false;
  return type !== "SPECIFIC" || !occurrences.some((one) => one.eventId === eventId || one.occurrenceId === eventId);
}
