import { digestId, type DigestEntry, scheduleText } from "../../../services/contracts/announcement-digests.ts";
import type { Announcement, AnnouncementRule } from "../../../services/contracts/announcements.contract.ts";
import type { Occurrence } from "../../../services/contracts/occurrences.contract.ts";
import { sampleAnnouncement, sampleOccurrence } from "../../fixtures/dispatch-samples.ts";
import type { Chance } from "./chance.ts";

/*
 * The digests of the simulated guild (D65), computed without the code of the services.
 */

/** The time zones of the calendar, with their offsets from UTC. */
const OFFSETS = { UTC: 0, "Asia/Kolkata": 19_800_000 } as const;
type SimulatedZone = keyof typeof OFFSETS;

/** A time zone of the calendar, from an instant on. */
export interface ZoneEra {
  readonly zone: SimulatedZone;
  readonly since: number;
}

/** The id of the calendar's record. */
export const CALENDAR = "calendar";
const FIRST_ZONE: ZoneEra = { zone: "UTC", since: 0 };
const DAY = 86_400_000;
/** All runs take place on the second of these dates. */
const DATES = ["2001-09-08", "2001-09-09", "2001-09-10"];
/** Wall-clock times that are due during a run in one of the zones. */
const TIMES = ["01:47", "01:48", "01:49", "07:17", "07:18"] as const;

export function someDigest(id: string, standsSince: number, chance: Chance): Announcement {
  const time = chance.oneOf(TIMES);
  const digest = { calendarNumber: 1, frequency: "DAILY", time, days: 1 } as const;
  return sampleAnnouncement({ id: id as never, type: "DIGEST", digest, standsSince });
}

/** The digest with another time. */
export function retimed(announcement: Announcement, standsSince: number, chance: Chance): Announcement {
  const { digest } = announcement;
  return digest === undefined
    ? announcement
    : { ...announcement, digest: { ...digest, time: chance.oneOf(TIMES) }, standsSince };
}

/** The calendar with its other zone. */
export function withOtherZone(eras: readonly ZoneEra[], since: number): readonly ZoneEra[] {
  const { zone } = eras.at(-1) ?? FIRST_ZONE;
  return [...eras, { zone: zone === "UTC" ? "Asia/Kolkata" : "UTC", since }];
}

/** The digest of a date. A new zone moves it if it was not due yet. */
function digestOfDate({ id, digest }: AnnouncementRule, eras: readonly ZoneEra[], date: string): Occurrence | null {
  if (digest === undefined) return null;
  const wall = Date.parse(`${date}T${digest.time}:00Z`);
  let at = { startsAt: wall, scheduledAt: 0 };
  for (const { zone, since } of eras) {
    if (at.startsAt < since) break;
    at = { startsAt: wall - OFFSETS[zone], scheduledAt: since };
  }
  const occurrenceId = digestId(id, date);
  const ofRule = { announcementId: id, schedule: scheduleText(digest) };
  const ids = { occurrenceId, eventId: occurrenceId as never, isFirst: false, digest: ofRule };
  return sampleOccurrence({ ...ids, ...at, endsAt: at.startsAt + DAY });
}

/** The digests of some rules. */
export function digestsOf(rules: readonly AnnouncementRule[], eras: readonly ZoneEra[]): Occurrence[] {
  return rules.flatMap((rule) => DATES.flatMap((date) => digestOfDate(rule, eras, date) ?? []));
}

/** The digest with an id, with the events of its days. */
export function digestWith(
  rule: AnnouncementRule | null,
  eras: readonly ZoneEra[],
  id: string,
  events: readonly Occurrence[],
): Occurrence | null {
  const found = rule === null ? undefined : digestsOf([rule], eras).find(({ occurrenceId }) => occurrenceId === id);
  if (found?.digest === undefined) return null;
  return { ...found, digest: { ...found.digest, entries: entriesOf(found, events) } };
}

/** The events that overlap the days of a digest. */
function entriesOf({ startsAt: from, endsAt: until }: Occurrence, events: readonly Occurrence[]): DigestEntry[] {
  return events
    .filter(({ startsAt, endsAt }) => startsAt < until && Math.max(startsAt, endsAt - 1) >= from)
    .map(({ startsAt, endsAt }) => ({ startsAt, endsAt }));
}
