import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import { MAX_ENTRIES } from "../../../contracts/calendar-events.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { Post } from "../post/post.ts";
import { postKey } from "./desired-posts.ts";
import { formerIds } from "./former-ids.ts";
import type { PlanInput } from "./plan-input.ts";
import { settledPost } from "./settled-post.ts";

/**
 * Makes the `missed` rows of occurrences that were due and not read, because more were due almost at the same time
 * than can be read: one row for each sink and announcement that may cover such an occurrence. The row's start is one
 * millisecond after the start of the last occurrence that was read.
 */
export function missedUnread(input: PlanInput, rows: ReadonlyMap<string, Post>): Post[] {
  const { lastRead, through, now, sinks, announcements, sinksEnabledSince = {} } = input;
  if (lastRead === undefined || through > now) return [];
  const { occurrenceId } = lastRead;
  const startsAt = lastRead.startsAt + 1;
  const mayCover = announcements.filter((rule) => rule.standsSince < through && mayCoverUnread(rule, input));
  return mayCover.flatMap(({ id: announcementId, channel }) =>
    sinks.flatMap((sink): Post[] => {
      const time = { kind: "due", dueAt: through, deadline: through } as const;
      const post = { announcementId, occurrenceId, startsAt, sink, channel, time };
      if (through < (sinksEnabledSince[sink] ?? 0) || rows.has(postKey(post))) return [];
      return [settledPost(input, post, 1, { state: "missed", reason: REASON })];
    }),
  );
}

const REASON = `more than ${MAX_ENTRIES} occurrences of the guild were due nearly at once; this row stands for the posts of the announcement for those that were not read`;

/** A SPECIFIC announcement covers one occurrence; if that was read, none that was not. A DIGEST covers no event. */
function mayCoverUnread({ enabled, type, eventId }: AnnouncementRule, { occurrences }: PlanInput): boolean {
  if (!enabled || type === "DIGEST") return false;
  const idsOf = (one: Occurrence): readonly string[] => [one.eventId, one.occurrenceId, ...formerIds(one)];
  return type !== "SPECIFIC" || !occurrences.some((one) => idsOf(one).includes(eventId));
}
