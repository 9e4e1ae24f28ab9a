import { definedFields } from "../../../../mixins/objects/defined-fields.ts";
import type { CalendarFollowView, FollowCounts, FollowError } from "../../../contracts/calendar-follows.contract.ts";
import { refuse, type Refusal } from "../../../contracts/errors.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Calendar, ChangedCalendar } from "../calendar/calendar.ts";
import { nextReadAfterFailure, nextReadAt } from "./follow-schedule.ts";

/** The outcome of the reads of an address. It changes with each read, and is no part of the calendar's revision. */
export interface FollowReading extends Partial<FollowCounts> {
  /** Time of the next read. */
  readonly nextAt: EpochMs;
  readonly lastReadAt?: EpochMs;
  readonly lastSuccessAt?: EpochMs;
  readonly lastChangeAt?: EpochMs;
  readonly failures: number;
  readonly failingSince?: EpochMs;
  readonly error?: FollowError;
  readonly errorMessage?: string;
  /** Validators of the last response that was imported completely. */
  readonly etag?: string;
  readonly lastModified?: string;
  /** Digest of the last content that was imported completely: the same content is not imported again. */
  readonly digest?: string;
  readonly intervalMs?: number;
}

/** A read that succeeded. The validators are absent if the same response must be imported again. */
export interface SuccessfulRead extends Pick<FollowReading, "etag" | "lastModified" | "digest"> {
  readonly intervalMs: number;
  /** Absent if nothing had to be imported. */
  readonly counts?: FollowCounts;
}

export interface FailedReading {
  readonly error: FollowError;
  readonly errorMessage: string;
  readonly retryAfterMs?: number;
}

/** A URL with the scheme by which it is read: webcal means https. */
export function addressOf(url: string): string {
  return url.replace(/^webcal:/, "https:");
}

/** The calendar that follows an address from now on. The same address again is a new beginning, too. */
export function followedCalendar(stored: Calendar, url: string, now: EpochMs): ChangedCalendar {
  const follow = { url: addressOf(url), followedAt: now };
  return { calendar: { ...stored, follow, revision: stored.revision + 1 }, reading: "begins" };
}

/** The calendar that follows nothing from now on. */
export function unfollowedCalendar({ follow, ...stored }: Calendar): ChangedCalendar | Refusal {
  if (follow === undefined) return refuse("FOLLOW_NOT_FOUND");
  return { calendar: { ...stored, revision: stored.revision + 1 }, reading: "ends" };
}

/** The calendar that is not read any more, but still read-only; undefined if `followedAt` is over, or it is disabled already. */
export function disabledCalendar(stored: Calendar, followedAt: EpochMs, now: EpochMs): ChangedCalendar | undefined {
  const { follow } = stored;
  if (follow === undefined || follow.followedAt !== followedAt || follow.disabledAt !== undefined) return undefined;
  return { calendar: { ...stored, follow: { ...follow, disabledAt: now }, revision: stored.revision + 1 } };
}

/** The state after a successful read. Counts are of the last import. */
export function readSucceeded(
  before: FollowReading,
  { counts, etag, lastModified, digest, intervalMs }: SuccessfulRead,
  now: EpochMs,
  random: number,
): FollowReading {
  const { lastChangeAt, created, updated, unchanged, deleted, skipped } = before;
  const hasChanged = counts !== undefined && counts.created + counts.updated + counts.deleted > 0;
  return {
    ...definedFields({ created, updated, unchanged, deleted, skipped, ...counts }),
    ...definedFields({ etag, lastModified, digest, lastChangeAt: hasChanged ? now : lastChangeAt }),
    nextAt: nextReadAt(intervalMs, now, random),
    lastReadAt: now,
    lastSuccessAt: now,
    failures: 0,
    intervalMs,
  };
}

/** The state after a failed read; `isOver` if the calendar has to be disabled. Nothing that was read before is forgotten. */
export function readFailed(
  before: FollowReading,
  { error, errorMessage, retryAfterMs }: FailedReading,
  now: EpochMs,
  random: number,
): FollowReading & { readonly isOver: boolean } {
  const { failures, failingSince = now } = before;
  const failed = { failures: failures + 1, failingSince };
  const nextAt = nextReadAfterFailure({ ...failed, retryAfterMs }, now, random);
  return {
    ...before,
    ...failed,
    error,
    errorMessage,
    lastReadAt: now,
    nextAt: nextAt ?? now,
    isOver: nextAt === undefined,
  };
}

/** The state as the API shows it; undefined for a calendar that follows nothing. */
export function followView(
  { follow }: Pick<Calendar, "follow">,
  reading: FollowReading | undefined,
  showsUrl: boolean,
): CalendarFollowView | undefined {
  if (follow === undefined) return undefined;
  const { url, followedAt, disabledAt } = follow;
  const { created = 0, updated = 0, unchanged = 0, deleted = 0, skipped = 0 } = reading ?? {};
  const { lastReadAt, lastSuccessAt, lastChangeAt, error, errorMessage } = reading ?? {};
  const nextAt = disabledAt === undefined ? reading?.nextAt : undefined;
  return {
    ...(showsUrl ? { url } : {}),
    host: new URL(url).host,
    state: disabledAt === undefined ? "active" : "disabled",
    followedAt,
    ...definedFields({ nextReadAt: nextAt, lastReadAt, lastSuccessAt, lastChangeAt }),
    failures: reading?.failures ?? 0,
    ...definedFields({ error, errorMessage, disabledAt }),
    created,
    updated,
    unchanged,
    deleted,
    skipped,
  };
}
