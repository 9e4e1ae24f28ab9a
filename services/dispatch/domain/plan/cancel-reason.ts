import { dateOfDigest } from "../../../contracts/announcement-digests.ts";
import type { OffsetAnchor } from "../../../contracts/announcement-offsets.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { PostKey } from "../post/post.ts";
import type { SinkName } from "../post/sink-name.ts";
import { covers } from "./covers.ts";
import { formerIds } from "./former-ids.ts";
import { anchorInKey, hasOffset, hasPresentTimes } from "./offsets.ts";

/** Occurrences with an anchor from this instant on are not due in the plan under any current announcement. */
export type AnchorsThrough = Readonly<Record<OffsetAnchor, EpochMs>>;

/** Tells why a planned post is no longer desired. A plan may cancel as many posts as it has occurrences. */
export function cancelReasons(
  input: {
    readonly announcements: readonly AnnouncementRule[];
    readonly occurrences: readonly Occurrence[];
    readonly sinks: readonly SinkName[];
  },
  anchorsThrough: AnchorsThrough,
): (post: PostKey) => string {
  // Most plans cancel nothing.
  let index: ReturnType<typeof indexOf> | undefined;
  return (post) => {
    const { announcements, occurrences, splitIds } = (index ??= indexOf(input));
    if (!input.sinks.includes(post.sink)) return `the sink ${post.sink} is switched off`;
    const announcement = announcements.get(post.announcementId);
    if (announcement === undefined) return "the announcement was deleted";
    if (!announcement.enabled) return "the announcement was disabled";
    if (dateOfDigest(post.occurrenceId) !== undefined) return digestReason(announcement);
    if (!hasOffset(announcement, post.offset) || isBeyond(post, anchorsThrough)) return RETIMED;
    const occurrence = occurrences.get(post.occurrenceId);
    if (occurrence === undefined) {
      return splitIds.has(post.occurrenceId)
        ? "the event is in the series that follows, after a split"
        : "the event was deleted or moved out of reach";
    }
    if (!covers(announcement, occurrence)) {
      const isRecolored = announcement.type === "COLOR" && occurrence.coloredAt > announcement.standsSince;
      return isRecolored ? "the event got another color" : "the announcement no longer covers the event";
    }
    return hasPresentTimes(post, occurrence) ? RETIMED : "the event was moved";
  };
}

function indexOf({ announcements, occurrences }: Parameters<typeof cancelReasons>[0]) {
  return {
    announcements: new Map(announcements.map((announcement) => [announcement.id, announcement])),
    occurrences: new Map(occurrences.map((occurrence) => [occurrence.occurrenceId, occurrence])),
    splitIds: new Set(occurrences.flatMap(formerIds)),
  };
}

/** A digest of the plan has no other reasons: its id is not that of an event. */
function digestReason({ type }: AnnouncementRule): string {
  return type === "DIGEST"
    ? "the announcement was re-timed, or its calendar got another time zone"
    : "the announcement is no digest any more";
}

const RETIMED = "the announcement was re-timed";

/** Whether the anchor of a post is so late that no current announcement has a post of it in the plan. */
export function isBeyond(post: Parameters<typeof anchorInKey>[0], through: AnchorsThrough): boolean {
  const anchorAt = anchorInKey(post);
  return anchorAt !== undefined && anchorAt >= through[post.offset?.anchor ?? "START"];
}
