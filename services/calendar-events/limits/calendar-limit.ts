import { type ActionCaller, callAction } from "../../../mixins/actions/typed-calls.ts";
import { getGuildSettings } from "../../contracts/guild-settings.contract.ts";
import { type GuildCache, guildCache } from "./guild-cache.ts";

/** The number of calendars that each guild may have (D20). Rejects if the guild settings are unreachable. */
export type CalendarLimit = GuildCache<number, [caller: ActionCaller]>;

/** Reads the limits from the guild settings service and caches them. */
export function calendarLimit(now: () => number): CalendarLimit {
  return guildCache(async (guildId, caller) => {
    const { maxCalendars } = await callAction(caller, getGuildSettings, { guildId });
    return maxCalendars;
  }, now);
}
