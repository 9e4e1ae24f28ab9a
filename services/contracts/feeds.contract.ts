import { type Color, COLORS, settingsOwnerOfCalendar } from "./calendar-events.contract.ts";
import { action } from "./contract.ts";
import { guildId, integer, listOf, oneOf, optional, reference, textOf } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";

/** The calendar of a feed (D47), and the colour that it is limited to. */
export interface FeedReference {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** Absent: events of all colours. */
  readonly color?: Color;
}

/** A feed without its token. */
export interface FeedView extends FeedReference {
  readonly id: string;
  /** Empty where none was given. */
  readonly label: string;
  readonly createdAt: EpochMs;
  /** When it got the address that it has; absent for the first one. */
  readonly rotatedAt?: EpochMs;
  /** The beginning of the hour in which it was last read. */
  readonly lastUsedAt?: EpochMs;
}

/** A feed's token in clear: the only time that it is shown. */
export interface IssuedFeed {
  readonly id: string;
  /** The path of its address, which has the token. */
  readonly path: string;
}

/** The most feeds of a guild. */
export const MAX_FEEDS = 100;

const calendarNumber = integer(1, 2_147_483_647);
const color = optional(oneOf(COLORS));

export interface CreateFeedParams extends FeedReference {
  /** For people: who uses it. */
  readonly label?: string;
}

export const createFeed = action<CreateFeedParams, IssuedFeed>({
  name: "api.createFeed",
  keys: "guild write",
  params: {
    guildId,
    calendarNumber,
    color,
    label: optional(textOf("at most 100 characters of one line", /^[^\x00-\x1f\x7f-\x9f]*$/u, 100), ""),
  },
  dependsOn: (params) => ["calendar-events", ...settingsOwnerOfCalendar(params)],
  idempotent: false,
});

/** The feeds of a guild, the latest first. */
export const listFeeds = action<{ readonly guildId: GuildId }, readonly FeedView[]>({
  name: "api.listFeeds",
  keys: "guild read",
  params: { guildId },
  idempotent: true,
});

interface FeedOfGuild {
  readonly guildId: GuildId;
  readonly id: string;
}

/** A new token for a feed, in place of the one before. */
export const rotateFeed = action<FeedOfGuild, IssuedFeed>({
  name: "api.rotateFeed",
  keys: "guild write",
  params: { guildId, id: reference },
  idempotent: false,
});

/** Ends a feed for good, everywhere within five seconds. */
export const revokeFeed = action<FeedOfGuild, void>({
  name: "api.revokeFeed",
  keys: "guild write",
  params: { guildId, id: reference },
  idempotent: false,
});

/** The opaque part of an entity tag that may be one of a feed. */
export const FEED_TAG = /^[\x21\x23-\x7e]{1,100}$/;

export interface OpenFeedParams extends Omit<FeedReference, "color"> {
  /** Entity tags that the reader has. */
  readonly known?: readonly string[];
}

export interface OpenedFeed {
  /** The entity tag of the feed as it is now. */
  readonly tag: string;
  /** Where it begins; absent where the reader has a feed with this tag. */
  readonly cursor?: string;
}

/** A cursor of the owner's. */
const cursor = textOf("a cursor of a feed", /^[0-9a-z.-]{1,100}$/, 100);

/** For the gateway: whether a feed is as its reader has it, and where it begins. */
export const openFeed = action<OpenFeedParams, OpenedFeed>({
  name: "calendar-events.openFeed",
  keys: "none",
  params: { guildId, calendarNumber, known: optional(listOf(textOf("an entity tag", FEED_TAG, 100), 20)) },
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

export interface ReadFeedPageParams extends FeedReference {
  readonly cursor: string;
}

export interface FeedPage {
  /** Whole lines of iCalendar (RFC 5545): at most 200 000 characters. */
  readonly text: string;
  /** Where the next page begins; absent at the end. */
  readonly next?: string;
}

/** For the gateway: the next lines of a feed, as it was when it was opened. */
export const readFeedPage = action<ReadFeedPageParams, FeedPage>({
  name: "calendar-events.readFeedPage",
  keys: "none",
  params: { guildId, calendarNumber, color, cursor },
  idempotent: true,
});
