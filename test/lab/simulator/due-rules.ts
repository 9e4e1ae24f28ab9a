import type { OffsetAnchor, PostOffset } from "../../../services/contracts/announcement-offsets.ts";
import type { Announcement } from "../../../services/contracts/announcements.contract.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import type { Pause } from "../../../services/contracts/pause.ts";
import type { CurrentState } from "../../../services/dispatch/domain/plan/current-state.ts";
import type { Post } from "../../../services/dispatch/domain/post/post.ts";
import { databaseTime, type Evidence } from "./evidence.ts";

/*
 * The due instants by D30, D31 and D54, computed without the code of dispatch.
 */

const MINUTE = 60_000;

/** The interval in which a post is to be sent. */
export interface DueInterval {
  readonly dueAt: number;
  readonly deadline: number;
}

interface AnchorState {
  readonly at: number;
  /** The instant at which the event got this anchor. */
  readonly setAt: number;
}

const ANCHORS: Readonly<Record<OffsetAnchor, (event: Occurrence) => AnchorState>> = {
  START: ({ startsAt, scheduledAt }) => ({ at: startsAt, setAt: scheduledAt }),
  END: ({ endsAt, scheduledAt, endSetAt }) => ({ at: endsAt, setAt: Math.max(scheduledAt, endSetAt ?? scheduledAt) }),
  CREATED: ({ createdAt = -Infinity }) => ({ at: createdAt, setAt: createdAt }),
  CHANGED: ({ rescheduledAt = -Infinity }) => ({ at: rescheduledAt, setAt: rescheduledAt }),
};

/** The offsets of an announcement; a lead time is one from the start. */
export function offsetsIn({ offsets, hours, minutes }: Announcement): readonly PostOffset[] {
  return offsets ?? [{ anchor: "START", minutes: -60 * hours - minutes }];
}

/** When the announcement is to be posted; undefined if it is not. */
export function dueInterval(
  announcement: Announcement,
  offset: PostOffset,
  event: Occurrence,
  graceMs: number,
): DueInterval | undefined {
  const { at, setAt } = ANCHORS[offset.anchor](event);
  const isAfter = offset.minutes > 0;
  const planned = at + offset.minutes * MINUTE;
  const overAt = Math.max(event.startsAt + MINUTE, event.endsAt);
  let dueAt = planned;
  if (event.digest !== undefined && setAt > planned) return undefined;
  if (setAt > planned) {
    const othersLater = offsetsIn(announcement).filter((other) => other.anchor === offset.anchor);
    const isLast = !othersLater.some(({ minutes }) => minutes > offset.minutes && at + minutes * MINUTE <= setAt);
    if (isAfter || !isLast) return undefined;
    dueAt = setAt;
  }
  const isOfWrites = offset.anchor === "CREATED" || offset.anchor === "CHANGED";
  if (isOfWrites ? dueAt >= overAt : event.digest === undefined && !isAfter && setAt >= at) return undefined;
  if (offset.anchor === "CREATED" && event.recurs && event.scheduledAt > dueAt) return undefined;
  if (dueAt < announcement.standsSince) return undefined;
  if (announcement.type === "COLOR" && event.coloredAt > dueAt) return undefined;
  const isFree = offset.anchor === "START" ? isAfter : offset.anchor === "END" && offset.minutes >= 0;
  return { dueAt, deadline: isFree ? dueAt + graceMs : Math.min(dueAt + graceMs, overAt) };
}

/** The interval of a post by a state; undefined if the state does not require the post. */
export function intervalOf(
  post: Post,
  { announcement, occurrence, settings }: CurrentState,
  graceMs: number,
): DueInterval | undefined {
  if (announcement === null || occurrence === null || !applies(announcement, occurrence)) return undefined;
  if (announcement.channel !== post.channel || (post.offset === undefined) !== (announcement.offsets === undefined))
    return;
  const offset = offsetsIn(announcement).find((one) => post.offset === undefined || isEqual(one, post.offset));
  if (offset === undefined || !isForTimes(post, offset.anchor, occurrence)) return undefined;
  if (isOnHoliday(announcement, occurrence)) return undefined;
  const interval = dueInterval(announcement, offset, occurrence, graceMs);
  return interval !== undefined && interval.dueAt < pausedUntil(announcement, occurrence, settings)
    ? undefined
    : interval;
}

/** Whether the announcement skips the occurrence on a holiday (D66). */
export function isOnHoliday(announcement: Announcement | null, occurrence: Occurrence | null): boolean {
  const { holidays = [] } = occurrence ?? {};
  return holidays.some(({ calendarNumber }) => calendarNumber === announcement?.skipOn);
}

/** The end of the last pause of a post (D62). */
export function pausedUntil(announcement: Pause | null, occurrence: Occurrence | null, settings: Pause): number {
  const ends = [announcement ?? {}, settings].flatMap(({ pausedUntil: until = 0, pauseEndedAt = 0 }) => [
    until,
    pauseEndedAt,
  ]);
  return Math.max(...ends, occurrence?.eventPausedUntil ?? 0);
}

/** Whether the state requires the post as it was planned. */
export function isRequired(post: Post, state: CurrentState, graceMs: number): boolean {
  const interval = intervalOf(post, state, graceMs);
  return interval?.dueAt === post.dueAt && interval.deadline === post.deadline;
}

/** Checks that every post that is due by an offset has a row. */
export function unaccountedOffsets(evidence: Evidence): string[] {
  const { owners, posts, start, timing, scenario } = evidence;
  const now = databaseTime(evidence, evidence.now) - 1_000;
  const rows = [...posts.values()];
  return [...owners.announcements].flatMap(([id, history]) => {
    const announcement = history.at(-1)?.content ?? null;
    if (announcement?.offsets === undefined) return [];
    return [...owners.occurrences].flatMap(([occurrenceId, versions]) => {
      const event = versions.at(-1)?.content ?? null;
      const sameGuild = owners.guildOf(id) === owners.guildOf(occurrenceId);
      if (event === null || !sameGuild || !applies(announcement, event)) return [];
      return offsetsIn(announcement).flatMap((offset) => {
        const interval = dueInterval(announcement, offset, event, timing.graceMs);
        if (interval === undefined || interval.dueAt < start || interval.dueAt >= now) return [];
        // A summary stands for the further skipped posts of an announcement in a sink.
        const hasSummary = (sink: string) =>
          rows.some((row) => row.announcementId === id && row.sink === sink && row.summaryOf !== undefined);
        const hasRow = (sink: string) =>
          hasSummary(sink) ||
          rows.some(
            (row) =>
              row.announcementId === id &&
              row.occurrenceId === occurrenceId &&
              row.sink === sink &&
              row.offset !== undefined &&
              isEqual(row.offset, offset) &&
              isForTimes(row, offset.anchor, event),
          );
        const what = `${id} of ${occurrenceId} by ${offset.anchor} ${offset.minutes}`;
        return scenario.sinks.filter((sink) => !hasRow(sink)).map((sink) => `${what} in ${sink}: it has no row`);
      });
    });
  });
}

/** Checks that the creation of an event is posted once, and a start or an end again only if it moved by a minute. */
export function repeatedOffsets({ receiver, posts }: Evidence): string[] {
  const sent = new Map<string, Post>();
  for (const { postId } of receiver.visible) {
    const post = posts.get(postId);
    if (post?.offset !== undefined) sent.set(post.id, post);
  }
  const subjects = Map.groupBy(sent.values(), ({ announcementId, occurrenceId, sink, offset }) =>
    [announcementId, occurrenceId, sink, offset?.anchor, offset?.minutes].join(" "),
  );
  return [...subjects].flatMap(([subject, group]) => {
    const anchor = group[0]?.offset?.anchor;
    const anchors = group
      .map(({ startsAt, endsAt, rescheduledAt }) => rescheduledAt ?? endsAt ?? startsAt)
      .sort((one, other) => one - other);
    const isNear = anchors.some((at, nth) => nth > 0 && at - (anchors[nth - 1] as number) < MINUTE);
    return group.length > 1 && (anchor === "CREATED" || isNear) ? [`${subject}: announced again`] : [];
  });
}

function applies(
  { id, enabled, type, eventColor, digest }: Announcement,
  { color, digest: listed }: Occurrence,
): boolean {
  if (listed !== undefined || digest !== undefined) {
    const isItsSchedule = digest !== undefined && listed?.schedule === `1 DAILY  ${digest.time}`;
    return enabled && listed?.announcementId === id && isItsSchedule;
  }
  return enabled && (type === "UNIVERSAL" || color === eventColor);
}

function isEqual(one: PostOffset, other: PostOffset): boolean {
  return one.anchor === other.anchor && one.minutes === other.minutes;
}

function isForTimes(
  post: Pick<Post, "startsAt" | "endsAt" | "rescheduledAt">,
  anchor: OffsetAnchor,
  event: Occurrence,
): boolean {
  if (anchor === "CHANGED" && post.rescheduledAt !== event.rescheduledAt) return false;
  return post.startsAt === event.startsAt && (anchor !== "END" || post.endsAt === event.endsAt);
}
