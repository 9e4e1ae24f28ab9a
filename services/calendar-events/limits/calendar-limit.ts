import { LRUCache } from "lru-cache";
import { type ActionCaller, callAction } from "../../../mixins/actions/typed-calls.ts";
import { getGuildSettings } from "../../contracts/guild-settings.contract.ts";
import type { GuildId } from "../../contracts/ids.ts";

/** The number of calendars that each guild may have (D20). */
export interface CalendarLimit {
  /** Rejects if the guild settings are unreachable. */
  of(guildId: GuildId, caller: ActionCaller): Promise<number>;
  /** Called when the settings of the guild have changed. */
  forget(guildId: GuildId): void;
}

/** Maximum age of a cached limit, for the case that the broadcast of a change is lost. */
const MAX_AGE_MS = 5_000;
const MAX_GUILDS = 10_000;

/** Reads the limits from the guild settings service and caches them. */
export function calendarLimit(now: () => number): CalendarLimit {
  const perf = { now };
  const cache = new LRUCache<GuildId, Promise<number>>({ max: MAX_GUILDS, ttl: MAX_AGE_MS, ttlResolution: 0, perf });
  return {
    of(guildId, caller) {
      const cached = cache.get(guildId);
      if (cached !== undefined) return cached;
      const limit = readLimit(guildId, caller);
      cache.set(guildId, limit);
      limit.catch(() => {
        if (cache.peek(guildId) === limit) cache.delete(guildId);
      });
      return limit;
    },

    forget: (guildId) => void cache.delete(guildId),
  };
}

async function readLimit(guildId: GuildId, caller: ActionCaller): Promise<number> {
  const { maxCalendars } = await callAction(caller, getGuildSettings, { guildId });
  return maxCalendars;
}
