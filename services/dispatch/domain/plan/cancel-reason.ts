import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { covers } from "./covers.ts";
import type { PostKey, SinkName } from "../post/post.ts";

/** What the guild's truth says about why a planned post is no longer asked for; `beyond` is as in the plan. */
export function whyCalledOff(
  post: PostKey,
  truth: {
    readonly announcements: readonly AnnouncementRule[];
    readonly occurrences: readonly Occurrence[];
    readonly sinks: readonly SinkName[];
  },
  beyond: EpochMs,
): string {
  if (!truth.sinks.includes(post.sink)) return `the sink ${post.sink} is switched off`;
  const announcement = truth.announcements.find(({ id }) => id === post.announcementId);
  if (announcement === undefined) return "the announcement was deleted";
  if (!announcement.enabled) return "the announcement was disabled";
  if (post.startsAt >= beyond) return "the announcement was re-timed";
  const occurrence = truth.occurrences.find(({ occurrenceId }) => occurrenceId === post.occurrenceId);
  if (occurrence === undefined) return "the event was deleted or moved out of reach";
  if (!covers(announcement, occurrence)) {
    const isRecolored = announcement.type === "COLOR" && occurrence.coloredAt > announcement.standsSince;
    return isRecolored ? "the event got another colour" : "the announcement no longer covers the event";
  }
  return occurrence.startsAt === post.startsAt ? "the announcement was re-timed" : "the event was moved";
}
