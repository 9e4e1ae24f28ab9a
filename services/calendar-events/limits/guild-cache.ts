import { LRUCache } from "lru-cache";
import type { GuildId } from "../../contracts/ids.ts";

/** A cache with one value for each guild, at most five seconds old. */
export interface GuildCache<Value, Args extends readonly unknown[]> {
  /** The value of a guild; rejects if it cannot be read. */
  of(guildId: GuildId, ...args: Args): Promise<Value>;
  /** Called when the value of a guild has changed. */
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
