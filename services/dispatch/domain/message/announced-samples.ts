import type { Announcement } from "../../../contracts/announcements.contract.ts";
import type { Occurrence } from "../../../contracts/occurrences.contract.ts";
import { type GuildSettings, LANGUAGES } from "../../../contracts/guild-settings.contract.ts";
import type { AnnouncementId, EventId, GuildId, OccurrenceId } from "../../../contracts/ids.ts";
import type { Announced } from "./announcement-embed.ts";

/** What the renderer's tests announce: a raid night in Berlin, 2026-11-21 20:00 to 22:30. */
const RAID: Occurrence = {
  occurrenceId: "e0123456789abcdefghijklmno_20261121T190000Z" as OccurrenceId,
  eventId: "e0123456789abcdefghijklmno" as EventId,
  calendarNumber: 1,
  timezone: "Europe/Berlin",
  startsAt: Date.UTC(2026, 10, 21, 19, 0),
  endsAt: Date.UTC(2026, 10, 21, 21, 30),
  color: "RED",
  recurs: true,
  isFirst: false,
  scheduledAt: 0,
  coloredAt: 0,
  name: "Raid night",
  description: "Bring **potions**.\nFirst pull at nine sharp.",
  location: "Molten Core",
  image: "https://example.com/raid.png",
};

const REMINDER: Announcement = {
  id: "5b0b3f62-6f0a-4d0e-9f0e-0d3a5c1b2a10" as AnnouncementId,
  guildId: "375357265198317579" as GuildId,
  channel: "400000000000000001",
  type: "RECUR",
  eventId: "e0123456789abcdefghijklmno" as EventId,
  eventColor: "NONE",
  hours: 1,
  minutes: 0,
  info: "Sign up in the pinned thread.",
  enabled: true,
  infoOnly: false,
  subscribersRole: ["500000000000000001", "everyone"],
  subscribersUser: ["600000000000000001"],
  revision: 1,
  standsSince: 0,
};

const ENGLISH_GUILD: GuildSettings = {
  guildId: "375357265198317579" as GuildId,
  externalCalendar: false,
  controlRole: "everyone",
  serviceChannel: "all",
  simpleAnnouncements: false,
  lang: "ENGLISH",
  prefix: "!",
  patronGuild: false,
  devGuild: false,
  maxCalendars: 1,
  twelveHour: true,
  branded: false,
  revision: 1,
};

interface Differences {
  readonly announcement?: Partial<Announcement>;
  readonly occurrence?: Partial<Occurrence>;
  readonly settings?: Partial<GuildSettings>;
  readonly guildName?: string;
}

/** The raid night's reminder, except for what is given. */
export function announced({ announcement, occurrence, settings, guildName }: Differences = {}): Announced {
  return {
    announcement: { ...REMINDER, ...announcement },
    occurrence: { ...RAID, ...occurrence },
    settings: { ...ENGLISH_GUILD, ...settings },
    guildName,
  };
}

const { name: _n, description: _d, location: _l, image: _i, ...withoutTexts } = RAID;

/** An event of no length, without texts or colour, that nobody has subscribed to. */
export function bare(settings: Partial<GuildSettings> = {}): Announced {
  return {
    ...announced({ settings, announcement: { subscribersRole: [], subscribersUser: [], info: "" } }),
    occurrence: { ...withoutTexts, endsAt: withoutTexts.startsAt, color: "NONE" },
  };
}

/** Every setting that a message depends on, in every language: each is a golden example. */
export const GOLDEN_CASES: readonly (readonly [title: string, example: Announced])[] = LANGUAGES.flatMap((lang) => {
  const simple = { lang, simpleAnnouncements: true };
  const infoOnly = { infoOnly: true };
  return [
    [`${lang}, 12 hours`, announced({ settings: { lang } })] as const,
    [`${lang}, 24 hours`, announced({ settings: { lang, twelveHour: false } })] as const,
    [`${lang}, simple, 12 hours`, announced({ settings: simple })] as const,
    [`${lang}, simple, 24 hours`, announced({ settings: { ...simple, twelveHour: false } })] as const,
    [`${lang}, branded`, announced({ settings: { lang, branded: true }, guildName: "The Night Watch" })] as const,
    [`${lang}, info only`, announced({ settings: { lang }, announcement: infoOnly })] as const,
    [
      `${lang}, info only, blank info`,
      announced({ settings: { lang }, announcement: { ...infoOnly, info: " " } }),
    ] as const,
    [`${lang}, nothing but the times`, bare({ lang })] as const,
    [`${lang}, simple, nothing but the times`, bare(simple)] as const,
  ];
});
