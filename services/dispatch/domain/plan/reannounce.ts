import { anchorInstant } from "../../../contracts/announcement-offsets.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { PostKey } from "../post/post.ts";
import { anchorSetAt } from "./fire-time.ts";
import { anchorInKey, elapsedOffset, hasPresentTimes, type RuleOffset } from "./offsets.ts";

/** An event that moves by less is still the same announced start (D31). */
const MIN_MOVE_MS = 60_000;

/** The times for which a post was sent. */
export type AnnouncedTimes = Pick<PostKey, "startsAt" | "endsAt" | "rescheduledAt" | "offset">;

/**
 * Whether a post of this occurrence would repeat an earlier announcement by the same offset (D31, D54). An occurrence that was
 * announced at other times counts as new only if its anchor moved by a minute or more and its new due instant was ahead at the
 * move. A creation never moves, and each change is an anchor of its own (D69).
 */
export function isReannounced(
  occurrence: Occurrence,
  announcement: AnnouncementRule,
  offset: RuleOffset,
  announced: readonly AnnouncedTimes[],
): boolean {
  const others = announced.filter((times) => !hasPresentTimes(times, occurrence));
  if (others.length === 0) return false;
  const { anchor, ms } = elapsedOffset(announcement, offset);
  const anchorAt = anchorInstant(occurrence, anchor);
  if (anchorAt === undefined) return true;
  const dueWasAhead = anchor === "CHANGED" || anchorAt + ms > anchorSetAt(occurrence, anchor);
  return !dueWasAhead || others.some((times) => Math.abs((anchorInKey(times) ?? anchorAt) - anchorAt) < MIN_MOVE_MS);
}
