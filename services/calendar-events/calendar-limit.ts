import { getGuildSettings } from "../contracts/guild-settings.contract.ts";
import type { GuildId } from "../contracts/ids.ts";

/** What asks another service: a context or a broker. */
interface Caller {
  call(action: string, params: object): Promise<unknown>;
}

/** How many calendars each guild may have (D20), as its settings say. */
export interface CalendarLimit {
  /** Rejects when the settings are out of reach. */
  of(guildId: GuildId, caller: Caller): Promise<number>;
  /** The guild's settings changed. */
  forget(guildId: GuildId): void;
}

/** A lost broadcast is made good by age. */
const MOST_AGE_MS = 5_000;
const MOST_GUILDS = 10_000;

/** Asks the guild settings service, and remembers the answer for a while. */
export function calendarLimit(now: () => number): CalendarLimit {
  const known = new Map<GuildId, { readonly limit: Promise<number>; readonly askedAt: number }>();
  return {
    of(guildId, caller) {
      const entry = known.get(guildId);
      if (entry !== undefined && now() - entry.askedAt < MOST_AGE_MS) return entry.limit;
      if (known.size >= MOST_GUILDS) known.clear();
      const limit = ask(guildId, caller);
      const asked = { limit, askedAt: now() };
      known.set(guildId, asked);
      limit.catch(() => {
        if (known.get(guildId) === asked) known.delete(guildId);
      });
      return limit;
    },

    forget: (guildId) => void known.delete(guildId),
  };
}

async function ask(guildId: GuildId, caller: Caller): Promise<number> {
  const { maxCalendars } = (await caller.call(getGuildSettings.name, { guildId })) as { maxCalendars: number };
  return maxCalendars;
}
