import { randomFillSync } from "node:crypto";
import type { AnnouncementRow } from "../../../../services/announcements/announcement.document.ts";
import { unwrittenCalendar } from "../../../../services/calendar-events/domain/calendar/calendar.ts";
import { newEvent } from "../../../../services/calendar-events/domain/event/create-event.ts";
import { ID_RANDOM_BYTES, newEventId } from "../../../../services/calendar-events/domain/event/event-id.ts";
import { documentOf } from "../../../../services/calendar-events/store/calendar-event.document.ts";
import { isRefusal } from "../../../../services/contracts/errors.ts";
import type { EpochMs, GuildId } from "../../../../services/contracts/ids.ts";
import { defaultSettings } from "../../../../services/guild-settings/domain/guild-settings.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FIRST_GUILD = 375_357_265_198_317_579n;
/** Guild ids are times: two guilds are not neighbours. */
const BETWEEN_GUILDS = 1_000_003n;
/** The largest guild has as many events. */
const MAX_EVENTS = 5_000;
/** Events begin from so long ago until as far ahead, so that a ninth of them begins in the two days that are planned. */
const PAST_MS = 7 * DAY;
const SPAN_MS = 18 * DAY;
/** One event in so many is a weekly series without an end. */
const SERIES_EVERY = 10;
/** Of ten guilds, so many have an announcement; half of all have settings. */
const ANNOUNCING_OF_TEN = 3;

/** The stored rows of a guild, by collection. */
export interface GuildRows {
  readonly calendar_events: readonly object[];
  readonly announcements: readonly object[];
  readonly guild_settings: readonly object[];
}

/** The id of the guild with a rank, from 1; the largest guild has rank 1. */
export function guildIdAt(rank: number): GuildId {
  return String(FIRST_GUILD + BigInt(rank) * BETWEEN_GUILDS) as GuildId;
}

/**
 * The number of events of a guild, by Zipf's law: the guild of rank r has 1/r as many as the first. Every guild has one event at
 * least, so that the mean does not depend on the number of guilds: about 3.5 for any number above 10 000.
 */
export function eventCountAt(rank: number, guilds: number): number {
  return Math.min(MAX_EVENTS, Math.max(1, Math.floor((guilds * 0.3) / rank)));
}

export function isAnnouncing(rank: number): boolean {
  return rank % 10 < ANNOUNCING_OF_TEN;
}

/** @param writtenAt - The time of all writes; event times depend on it, too. */
export function guildRowsAt(rank: number, guilds: number, writtenAt: EpochMs): GuildRows {
  const guildId = guildIdAt(rank);
  const events = Array.from({ length: eventCountAt(rank, guilds) }, (_, at) => eventRow(guildId, rank, at, writtenAt));
  return {
    calendar_events: events,
    announcements: isAnnouncing(rank) ? [announcementRow(guildId, writtenAt)] : [],
    guild_settings: rank % 2 === 0 ? [settingsRow(guildId, writtenAt)] : [],
  };
}

function eventRow(guildId: GuildId, rank: number, at: number, writtenAt: EpochMs): object {
  // A multiple of a prime spreads the starts evenly, also over the many guilds with one event.
  const offset = ((rank * 7_919 + at * 104_729) % (SPAN_MS / MINUTE)) * MINUTE;
  const startsAt = Math.floor(writtenAt / MINUTE) * MINUTE - PAST_MS + offset;
  const recurrence = { frequency: "WEEKLY", count: -1, interval: 1 } as const;
  const isSeries = (rank + at) % SERIES_EVERY === 0;
  const random = randomFillSync(Buffer.alloc(ID_RANDOM_BYTES));
  const params = {
    guildId,
    calendarNumber: 1,
    startsAt,
    endsAt: startsAt + HOUR,
    name: `Raid ${random.toString("hex", 0, 6)}`,
    description: random.toString("base64").repeat(4),
    ...(isSeries ? { recurs: true, recurrence } : {}),
  };
  const event = newEvent(params, newEventId(writtenAt - DAY, random), unwrittenCalendar(guildId, 1));
  if (isRefusal(event)) throw new Error(JSON.stringify(event));
  const written = new Date(writtenAt);
  const stamps = { changedAt: written, scheduledAt: written, coloredAt: written, createdAt: written };
  return { ...documentOf(event), ...stamps };
}

function announcementRow(guildId: GuildId, writtenAt: EpochMs): AnnouncementRow {
  const written = new Date(writtenAt - 30 * DAY);
  return {
    _id: `${guildId}-announcement`,
    guildId,
    channel: guildId,
    type: "UNIVERSAL",
    eventId: "",
    eventColor: "NONE",
    hours: 1,
    minutes: 0,
    info: "Bring potions, and be there ten minutes before the start.",
    enabled: true,
    infoOnly: false,
    subscribersRole: ["everyone"],
    subscribersUser: [],
    revision: 1,
    standsSince: written,
    sequence: written,
    slot: 0,
    changedAt: new Date(writtenAt),
  };
}

function settingsRow(guildId: GuildId, writtenAt: EpochMs): object {
  return { _id: guildId, ...defaultSettings(guildId), revision: 1, changedAt: new Date(writtenAt) };
}
