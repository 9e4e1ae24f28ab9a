import { type Color, COLORS, settingsOwnerOfCalendar } from "./calendar-events.contract.ts";
import { action } from "./contract.ts";
import { guildId, integer, listOf, oneOf, optional, reference, textOf } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";
import { type Page, pageNarrowing, type PageParams, pageRules } from "./pages.ts";

/** The calendar of a feed (D47), and the color to which it is limited. */
export interface FeedReference {
  readonly guildId: GuildId;
  readonly calendarNumber: number;
  /** The color of its events; all colors if absent. */
  readonly color?: Color;
}

/** A feed without its token. */
export interface FeedView extends FeedReference {
  readonly id: string;
  /** The label; empty if none was given. */
  readonly label: string;
  readonly createdAt: EpochMs;
  /** The time of the last rotation; absent for the first address. */
  readonly rotatedAt?: EpochMs;
  /** The beginning of the hour of the last read. */
  readonly lastUsedAt?: EpochMs;
}

/** A new address of a feed. Its token is shown only in this response. */
export interface IssuedFeed {
  readonly id: string;
  /** The path of the feed, which contains the token. */
  readonly path: string;
}

/** Maximum number of feeds of a guild. */
export const MAX_FEEDS = 100;

const calendarNumber = integer(1, 2_147_483_647);
const color = optional(oneOf(COLORS));

export interface CreateFeedParams extends FeedReference {
  /** A description for people, such as the user of the feed. */
  readonly label?: string;
}

export const createFeed = action<CreateFeedParams, IssuedFeed>({
  name: "api.createFeed",
  keys: "guild write",
  refusals: ["CALENDAR_NOT_FOUND", "TOO_MANY_FEEDS"],
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

/** A page of the same list (D49). */
export const listFeedsPage = action<{ readonly guildId: GuildId } & PageParams, Page<FeedView>>({
  name: "api.listFeedsPage",
  keys: "guild read",
  params: { guildId, ...pageRules },
  narrowing: pageNarrowing,
  idempotent: true,
});

interface FeedOfGuild {
  readonly guildId: GuildId;
  readonly id: string;
}

/** Replaces the token of a feed. */
export const rotateFeed = action<FeedOfGuild, IssuedFeed>({
  name: "api.rotateFeed",
  keys: "guild write",
  refusals: ["FEED_NOT_FOUND"],
  params: { guildId, id: reference },
  idempotent: false,
});

/** Revokes a feed, which takes effect everywhere within five seconds. */
export const revokeFeed = action<FeedOfGuild, void>({
  name: "api.revokeFeed",
  keys: "guild write",
  refusals: ["FEED_NOT_FOUND"],
  params: { guildId, id: reference },
  idempotent: false,
});

/** The opaque part of an entity tag, which may be that of a feed. */
export const FEED_TAG = /^[\x21\x23-\x7e]{1,100}$/;

export interface OpenFeedParams extends Omit<FeedReference, "color"> {
  /** The entity tags in the client's If-None-Match. */
  readonly known?: readonly string[];
}

export interface OpenedFeed {
  /** The current entity tag of the feed. */
  readonly tag: string;
  /** The cursor of the first page; absent if the client has the feed with this tag. */
  readonly cursor?: string;
}

/** A cursor, which only the owner can read. */
const cursor = textOf("a cursor of a feed", /^[0-9a-z.-]{1,100}$/, 100);

/** Internal, for the gateway: the current tag of a feed, and the cursor of its first page unless the client has it. */
export const openFeed = action<OpenFeedParams, OpenedFeed>({
  name: "calendar-events.openFeed",
  keys: "none",
  refusals: ["CALENDAR_NOT_FOUND"],
  params: { guildId, calendarNumber, known: optional(listOf(textOf("an entity tag", FEED_TAG, 100), 20)) },
  dependsOn: settingsOwnerOfCalendar,
  idempotent: true,
});

export interface ReadFeedPageParams extends FeedReference {
  readonly cursor: string;
}

export interface FeedPage {
  /** Complete lines of iCalendar (RFC 5545). A page ends after the piece with which it has 131 072 characters or more. */
  readonly text: string;
  /** The cursor of the next page; absent at the end. */
  readonly next?: string;
}

/** Internal, for the gateway: a page of a feed, in the snapshot in which it was opened. */
export const readFeedPage = action<ReadFeedPageParams, FeedPage>({
  name: "calendar-events.readFeedPage",
  keys: "none",
  params: { guildId, calendarNumber, color, cursor },
  idempotent: true,
});
