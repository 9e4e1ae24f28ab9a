import type { PostOffset } from "../../../../services/contracts/announcement-offsets.ts";
import type { Announcement } from "../../../../services/contracts/announcements.contract.ts";
import type { Occurrence } from "../../../../services/contracts/occurrences.contract.ts";
import { type DueInterval, dueInterval } from "../../simulator/due-rules.ts";
import type {
  EventState,
  EventVersion,
  GuildRecords,
  Outage,
  PauseWrite,
  RecordedAnnouncement,
  RecordedEvent,
} from "./records.ts";

/** Whether something is so by the acknowledged writes; "maybe" near a write, or while dispatch could not read the state. */
export type Certainty = "yes" | "maybe" | "no";

/** A post that the acknowledged writes of a guild demand. */
export interface DemandedPost {
  readonly announcement: RecordedAnnouncement;
  /** Absent for a digest. */
  readonly event?: RecordedEvent;
  readonly offset?: PostOffset;
  readonly startsAt: number;
  readonly dueAt: number;
  readonly deadline: number;
  /** Never "no". */
  readonly isDemanded: Certainty;
  readonly isPaused: Certainty;
  /** When the event got other times, or was deleted, after the due instant: a post that waits since then is given up. */
  readonly changedAt?: number;
  /** When a pause was set after the due instant: a post that waits since then is skipped. */
  readonly pausedLaterAt?: number;
}

type PausedPost = Pick<DemandedPost, "isPaused" | "pausedLaterAt">;

/** Maximum time from the acknowledgement of a write until posts follow it. */
const FOLLOWED_MS = 1_500;
/** A write may not be planned yet if the services were not reachable within this time after it. */
const PLANNED_WITHIN_MS = 12_000;
const AFTER_OUTAGE_MS = 5_000;
const GRACE_MS = 15 * 60_000;

/** The posts of a guild by D30, D31, D54, D62, D63 and D65. */
export function demandedPosts(guild: GuildRecords, outages: readonly Outage[]): DemandedPost[] {
  const pausesOf = (announcement: RecordedAnnouncement, event?: RecordedEvent) => [
    guild.pauses.guild,
    guild.pauses.calendar,
    announcement.pauses,
    event?.pauses ?? [],
  ];
  return guild.announcements.flatMap((announcement): DemandedPost[] => {
    const { digest } = announcement;
    if (digest !== undefined) {
      const { dueAt } = digest;
      const about = { announcement, startsAt: dueAt, dueAt, deadline: dueAt + GRACE_MS, isDemanded: "yes" } as const;
      return [{ ...about, ...pausedAt(dueAt, pausesOf(announcement), outages) }];
    }
    const covered = guild.events.filter(({ eventId }) => [undefined, eventId].includes(announcement.eventId));
    return covered.flatMap((event) =>
      announcement.offsets.flatMap((offset) =>
        postsOf(announcement, event, offset, outages).map((post) =>
          Object.assign(post, pausedAt(post.dueAt, pausesOf(announcement, event), outages)),
        ),
      ),
    );
  });
}

/** The posts of an event by one offset: one for each time that a version of the event gives it. */
function postsOf(
  announcement: RecordedAnnouncement,
  event: RecordedEvent,
  offset: PostOffset,
  outages: readonly Outage[],
): Omit<DemandedPost, keyof PausedPost>[] {
  const { versions } = event;
  const timed = versions.map(({ state }) => (state === null ? undefined : intervalOf(announcement, offset, state)));
  const keys = versions.map(({ state }, at) => keyOf(offset, state, timed[at]?.dueAt));
  return [...new Set(keys.filter((key) => key !== undefined))].flatMap((key) => {
    const last = keys.lastIndexOf(key);
    /** The first of the latest versions that give it this time. */
    const since = keys.findLastIndex((each, at) => at < last && each !== key) + 1;
    const state = versions[last]?.state as EventState;
    const { dueAt, deadline } = timed[last] as DueInterval;
    const next = versions[last + 1];
    if (next !== undefined && dueAt > followedFrom(next, outages)) return [];
    const isKept = next === undefined || dueAt < next.sentAt;
    const { sentAt, ackedAt } = versions[since] as EventVersion;
    // A change is due by its own write, a restored one by an earlier write.
    const isByChange = offset.anchor === "CHANGED" && dueAt >= sentAt;
    const isAhead = since === 0 || isByChange || dueAt > ackedAt;
    const isDemanded = isKept && isAhead ? "yes" : "maybe";
    const about = { announcement, event, offset, startsAt: state.startsAt, dueAt, deadline, isDemanded } as const;
    return [{ ...about, ...(next && { changedAt: next.sentAt }) }];
  });
}

/** The identity of a post: a creation has one post, whatever the times of its event, and each change has one. */
function keyOf({ anchor }: PostOffset, state: EventState | null, dueAt: number | undefined): string | undefined {
  if (state === null || dueAt === undefined) return undefined;
  if (anchor === "CHANGED") return `changed ${state.rescheduledAt}`;
  return anchor === "CREATED" ? "created" : [state.startsAt, anchor === "END" ? state.endsAt : "", dueAt].join(" ");
}

function intervalOf(
  { offsets, hasOffsets, ackedAt }: RecordedAnnouncement,
  offset: PostOffset,
  state: EventState,
): DueInterval | undefined {
  const rule = { type: "UNIVERSAL", hours: 0, minutes: 0, standsSince: ackedAt, ...(hasOffsets && { offsets }) };
  const { scheduledAt } = state;
  const occurrence = { ...state, coloredAt: scheduledAt } as Partial<Occurrence>;
  return dueInterval(rule as unknown as Announcement, offset, occurrence as Occurrence, GRACE_MS);
}

/** Whether a post that is due at an instant is paused. A pause that was ended holds for the posts that were due before. */
function pausedAt(dueAt: number, pauses: readonly (readonly PauseWrite[])[], outages: readonly Outage[]): PausedPost {
  const certainties = pauses.flatMap((writes) =>
    writes.map((write, at): Certainty => {
      const next = writes[at + 1];
      const { until, sentAt } = write;
      if (until === null || until <= dueAt || sentAt > dueAt) return "no";
      if (next !== undefined && followedFrom(next, outages) < dueAt) return "no";
      return followedFrom(write, outages) <= dueAt && (next === undefined || next.sentAt > dueAt) ? "yes" : "maybe";
    }),
  );
  const found = new Set(certainties);
  const later = pauses.flat().filter(({ sentAt, until }) => sentAt > dueAt && until !== null && until > dueAt);
  return {
    isPaused: found.has("yes") ? "yes" : found.has("maybe") ? "maybe" : "no",
    ...(later.length > 0 && { pausedLaterAt: Math.min(...later.map(({ sentAt }) => sentAt)) }),
  };
}

/** The instant from which every post follows a write. A plan is sent as it is while the services are not reachable. */
function followedFrom({ sentAt, ackedAt }: Pick<PauseWrite, "sentAt" | "ackedAt">, outages: readonly Outage[]): number {
  const near = outages.filter(({ from, until }) => from <= ackedAt + PLANNED_WITHIN_MS && until >= sentAt);
  return Math.max(ackedAt + FOLLOWED_MS, ...near.map(({ until }) => until + AFTER_OUTAGE_MS));
}
