import {
  anchorInstant,
  isSameOffset,
  type OffsetAnchor,
  type PostOffset,
} from "../../../contracts/announcement-offsets.ts";
import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { PostKey } from "../post/post.ts";

/** An offset of an announcement; undefined for the lead time of an announcement without offsets (D54). */
export type RuleOffset = PostOffset | undefined;

type Times = Pick<AnnouncementRule, "hours" | "minutes" | "offsets">;

const LEAD_TIME_ALONE: readonly RuleOffset[] = [undefined];

/** Hours and minutes before the start, in milliseconds of elapsed time (D25). */
export function leadMs({ hours, minutes }: Pick<AnnouncementRule, "hours" | "minutes">): number {
  return (hours * 60 + minutes) * 60_000;
}

/** The offsets of an announcement, each of which gives a post for each occurrence. */
export function offsetsOf({ offsets }: Times): readonly RuleOffset[] {
  return offsets ?? LEAD_TIME_ALONE;
}

export function hasOffset({ offsets }: Times, offset: RuleOffset): boolean {
  if (offsets === undefined || offset === undefined) return offsets === offset;
  return offsets.some((each) => isSameOffset(each, offset));
}

/** An offset as an anchor, and the milliseconds of elapsed time from there; negative before it. */
export interface ElapsedOffset {
  readonly anchor: OffsetAnchor;
  readonly ms: number;
}

export function elapsedOffset(rule: Times, offset: RuleOffset): ElapsedOffset {
  if (offset === undefined) return { anchor: "START", ms: 0 - leadMs(rule) };
  return { anchor: offset.anchor, ms: offset.minutes * 60_000 };
}

/** The offsets of all enabled rules. */
export function elapsedOffsets(rules: readonly (Times & Pick<AnnouncementRule, "enabled">)[]): ElapsedOffset[] {
  return rules
    .filter(({ enabled }) => enabled)
    .flatMap((rule) => offsetsOf(rule).map((offset) => elapsedOffset(rule, offset)));
}

/** The times for which a post was planned. */
type PostTimes = Pick<PostKey, "startsAt" | "endsAt" | "rescheduledAt">;

/** The part of a post's key that its offset and the times of its occurrence decide. */
export function timesInKey(
  { startsAt, endsAt, rescheduledAt }: Occurrence,
  offset: RuleOffset,
): Omit<PostKey, "announcementId" | "occurrenceId" | "sink"> {
  if (offset === undefined) return { startsAt };
  if (offset.anchor === "END") return { startsAt, endsAt, offset };
  return offset.anchor === "CHANGED" ? { startsAt, offset, ...definedFields({ rescheduledAt }) } : { startsAt, offset };
}

/** The instant of the anchor that a post was planned for; undefined for CREATED, whose instant never changes. */
export function anchorInKey({
  startsAt,
  endsAt = startsAt,
  rescheduledAt,
  offset,
}: Omit<PostTimes, "offset"> & Pick<PostKey, "offset">): EpochMs | undefined {
  return anchorInstant({ startsAt, endsAt, ...definedFields({ rescheduledAt }) }, offset?.anchor ?? "START");
}

/** Whether a post was planned for the present times of its occurrence. */
export function hasPresentTimes({ startsAt, endsAt, rescheduledAt }: PostTimes, occurrence: Occurrence): boolean {
  if (startsAt !== occurrence.startsAt) return false;
  if (rescheduledAt !== undefined && rescheduledAt !== occurrence.rescheduledAt) return false;
  return endsAt === undefined || endsAt === occurrence.endsAt;
}
