import type { AnnouncementRule } from "./announcements.contract.ts";
import { action } from "./contract.ts";
import { guildId, integer, optional } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";

/**
 * For dispatch: lists the rules of the guild's announcements in the order of creation. With `formerAfter`, the former rules
 * with an `until` after that time follow: for each announcement the last rule before it was disabled, removed, or got a new
 * lead time, offsets or target; at most 1000, the latest first. A removed announcement is known for 7 days.
 */
export const listAnnouncementRules = action<{ guildId: GuildId; formerAfter?: EpochMs }, AnnouncementRule[]>({
  name: "announcements.listRules",
  keys: "none",
  params: { guildId, formerAfter: optional(integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)) },
  idempotent: true,
});

/** Largest number of guilds in one call. */
export const MAX_GUILDS_PER_CALL = 1000;

/** For dispatch: lists the guilds that have an enabled announcement, or had one in the last 7 days; in no order. */
export const listAnnouncingGuilds = action<{ guildIds: readonly GuildId[] }, GuildId[]>({
  name: "announcements.listAnnouncingGuilds",
  keys: "none",
  params: { guildIds: { type: "array", max: MAX_GUILDS_PER_CALL, items: guildId } },
  idempotent: true,
});
