import type { Announcement } from "../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../contracts/occurrences.contract.ts";
import type { AnnouncementId, EventId, GuildId, OccurrenceId } from "../../contracts/ids.ts";
import { startOf } from "./plan-order.ts";
import { type GuildTruth, MAX_OPEN_POSTS } from "./plan-truth.ts";

/** Samples for tests, on a clock on which 0 is long ago and `NOON` is now. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const NOON = 1_000 * HOUR;

export function sampleAnnouncement(differs: Partial<Announcement> = {}): Announcement {
  return {
    id: "a1" as AnnouncementId,
    guildId: "1" as GuildId,
    channel: "77",
    type: "UNIVERSAL",
    eventId: "",
    eventColor: "NONE",
    hours: 0,
    minutes: 0,
    info: "",
    enabled: true,
    infoOnly: false,
    subscribersRole: [],
    subscribersUser: [],
    revision: 1,
    standsSince: 0,
    ...differs,
  };
}

/** A single event of one hour at `NOON + 1 h`, made long ago. */
export function sampleOccurrence(differs: Partial<Occurrence> = {}): Occurrence {
  const startsAt = differs.startsAt ?? NOON + HOUR;
  return {
    occurrenceId: "e1" as OccurrenceId,
    eventId: "e1" as EventId,
    calendarNumber: 1,
    timezone: "UTC",
    startsAt,
    endsAt: startsAt + HOUR,
    color: "NONE",
    recurs: false,
    isFirst: true,
    scheduledAt: 0,
    coloredAt: 0,
    ...differs,
  };
}

/** A guild at noon with a two-day horizon. */
export function sampleTruth(differs: Partial<GuildTruth> = {}): GuildTruth {
  const now = differs.now ?? NOON;
  return {
    guildId: "1" as GuildId,
    announcements: [sampleAnnouncement()],
    occurrences: [sampleOccurrence()],
    windows: [{ from: 0, until: Infinity }],
    existing: [],
    sinks: ["log"],
    after: startOf(now - 15 * MINUTE),
    through: now + 48 * HOUR,
    now,
    graceMs: 15 * MINUTE,
    maxOpenPosts: MAX_OPEN_POSTS,
    version: 0,
    ...differs,
  };
}
