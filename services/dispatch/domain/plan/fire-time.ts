import { anchorInstant, isOfWrites, type OffsetAnchor } from "../../../contracts/announcement-offsets.ts";
import type { AnnouncementRule } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import { elapsedOffset, type ElapsedOffset, offsetsOf, type RuleOffset } from "./offsets.ts";

/** When an announcement of an occurrence is to be posted, or why it is not. */
export type FireTime =
  | { readonly kind: "due"; readonly dueAt: EpochMs; readonly deadline: EpochMs }
  | { readonly kind: "skipped"; readonly dueAt: EpochMs; readonly reason: string };

/** A rule, and whether its posts may be sent after the end of the event although they are due before. */
export type PlannedRule = AnnouncementRule & { readonly mayFollowEvent?: true };

/** A shorter event counts as one minute long (D30). */
const MIN_EVENT_MS = 60_000;

/**
 * When the announcement of this occurrence is due by one of its offsets (D30, D31, D54). Undefined if no post was ever due:
 * anchor and due instant were both before the rule was set, the occurrence has no such anchor, or its event was over when it
 * was created.
 */
export function fireTime(
  announcement: PlannedRule,
  offset: RuleOffset,
  occurrence: Occurrence,
  graceMs: number,
): FireTime | undefined {
  const elapsed = elapsedOffset(announcement, offset);
  const anchorAt = anchorInstant(occurrence, elapsed.anchor);
  if (anchorAt === undefined || overAt(anchorAt, elapsed) < announcement.standsSince) return undefined;
  const time = timeByOccurrence(elapsed, occurrence, anchorAt);
  if (time === undefined) return undefined;
  const { dueAt } = time;
  const reason =
    time.reason ??
    skipReason(announcement, occurrence, dueAt) ??
    supersededBy(announcement, elapsed, occurrence, dueAt);
  if (reason !== undefined) return { kind: "skipped", dueAt, reason };
  return { kind: "due", dueAt, deadline: deadlineOf(announcement, elapsed, occurrence, dueAt + graceMs) };
}

/** The later of the anchor and of the instant that the offset gives: a skipped post is part of a plan until then. */
export function overAt(anchorAt: EpochMs, { ms }: ElapsedOffset): EpochMs {
  return anchorAt + Math.max(0, ms);
}

/** The time at which an anchor got its present instant (D31). */
export function anchorSetAt(occurrence: Occurrence, anchor: OffsetAnchor): EpochMs {
  const { scheduledAt, endSetAt = 0 } = occurrence;
  if (isOfWrites(anchor)) return anchorInstant(occurrence, anchor) ?? 0;
  return anchor === "END" ? Math.max(scheduledAt, endSetAt) : scheduledAt;
}

interface Time {
  readonly dueAt: EpochMs;
  /** Why it is skipped. */
  readonly reason?: string;
}

/** The due instant by the occurrence alone, or the reason why its times leave none. */
function timeByOccurrence(elapsed: ElapsedOffset, occurrence: Occurrence, anchorAt: EpochMs): Time | undefined {
  const { anchor, ms } = elapsed;
  const dueAt = anchorAt + ms;
  if (isOfWrites(anchor)) return timeAfterWrite(anchor, dueAt, anchorAt, occurrence);
  const setAt = anchorSetAt(occurrence, anchor);
  if (occurrence.digest !== undefined) return timeOfDigest(dueAt, setAt);
  return ms > 0 ? timeAfterAnchor(dueAt, setAt) : timeUpToAnchor(dueAt, setAt, anchorAt, anchor);
}

/**
 * The time of a post about a creation or a change. A new start or recurrence rule gives the occurrences of a series other ids. Their
 * rows do not show then that the creation was announced under the former ids, so it is skipped.
 */
function timeAfterWrite(
  anchor: OffsetAnchor,
  dueAt: EpochMs,
  writtenAt: EpochMs,
  occurrence: Occurrence,
): Time | undefined {
  if (eventOverAt(occurrence) <= writtenAt) return undefined;
  if (eventOverAt(occurrence) <= dueAt) return { dueAt, reason: "the event ends before it is due" };
  const isOther = anchor === "CREATED" && occurrence.recurs && occurrence.scheduledAt > dueAt;
  return isOther ? { dueAt, reason: "the series was moved after it was due" } : { dueAt };
}

/** A digest is never due at once: its calendar got the zone after the instant (D65). */
function timeOfDigest(dueAt: EpochMs, setAt: EpochMs): Time {
  return setAt <= dueAt ? { dueAt } : { dueAt, reason: "the calendar got its time zone after it was due" };
}

/** A post at or before the anchor is due at once if the event got this anchor after the due instant and before the anchor. */
function timeUpToAnchor(dueAt: EpochMs, setAt: EpochMs, anchorAt: EpochMs, anchor: "START" | "END"): Time {
  if (setAt < anchorAt) return { dueAt: Math.max(dueAt, setAt) };
  return { dueAt: anchorAt, reason: `the event was created or moved after its own ${anchor.toLowerCase()}` };
}

/** A post after the anchor is never due at once: an event that was moved into the past is not announced. */
function timeAfterAnchor(dueAt: EpochMs, setAt: EpochMs): Time {
  return setAt <= dueAt ? { dueAt } : { dueAt, reason: "the event was created or moved after it was due" };
}

function skipReason(announcement: AnnouncementRule, { coloredAt }: Occurrence, dueAt: EpochMs): string | undefined {
  if (dueAt < announcement.standsSince) return "the announcement was created, enabled or re-timed after it was due";
  if (announcement.type === "COLOR" && coloredAt > dueAt) return "the event got its color after it was due";
  return undefined;
}

/** Of several offsets before one anchor that were over when the event got the anchor, only the last is posted at once. */
function supersededBy(
  announcement: AnnouncementRule,
  { anchor, ms }: ElapsedOffset,
  occurrence: Occurrence,
  dueAt: EpochMs,
): string | undefined {
  const anchorAt = anchorInstant(occurrence, anchor);
  if (announcement.offsets === undefined || anchorAt === undefined || dueAt === anchorAt + ms) return undefined;
  const isLater = (other: ElapsedOffset) => other.anchor === anchor && other.ms > ms && anchorAt + other.ms <= dueAt;
  const isSuperseded = offsetsOf(announcement).some((other) => isLater(elapsedOffset(announcement, other)));
  return isSuperseded ? "a later offset of the announcement was due at once as well" : undefined;
}

/** Only a post after the start, at the end or after the end may be sent when the event is over (D30, D54). */
function deadlineOf(
  rule: PlannedRule,
  { anchor, ms }: ElapsedOffset,
  occurrence: Occurrence,
  graceOverAt: EpochMs,
): EpochMs {
  const isAfterAnchor = anchor === "START" ? ms > 0 : anchor === "END" && ms >= 0;
  return isAfterAnchor || rule.mayFollowEvent === true ? graceOverAt : Math.min(graceOverAt, eventOverAt(occurrence));
}

function eventOverAt({ startsAt, endsAt }: Occurrence): EpochMs {
  return Math.max(endsAt, startsAt + MIN_EVENT_MS);
}
