import { LRUCache } from "lru-cache";
import type { GuildId } from "../../contracts/ids.ts";

/** Something about guilds that seldom changes. */
export interface GuildCache<Value, Args extends readonly unknown[]> {
  /** Rejects if it cannot be read. */
  of(guildId: GuildId, ...args: Args): Promise<Value>;
  /** Called when it has changed. */
  forget(guildId: GuildId): void;
}

/** Maximum age of a value: the broadcast of a change may be lost, and some changes have none. */
const MAX_AGE_MS = 5_000;
const MAX_GUILDS = 10_000;

/** @param now - Monotonic, in milliseconds. */
export function guildCache<Value, Args extends readonly unknown[]>(
  read: (guildId: GuildId, ...args: Args) => Promise<Value>,
  now: () => number,
): GuildCache<Value, Args> {
  const perf = { now };
  const cache = new LRUCache<GuildId, Promise<Value>>({ max: MAX_GUILDS, ttl: MAX_AGE_MS, ttlResolution: 0, perf });
  return {
    of(guildId, ...args) {
      const cached = cache.get(guildId);
      if (cached !== undefined) return cached;
      const value = read(guildId, ...args);
      cache.set(guildId, value);
      value.catch(() => {
        if (cache.peek(guildId) === value) cache.delete(guildId);
      });
      return value;
    },

    forget: (guildId) => void cache.delete(guildId),
  };
}
