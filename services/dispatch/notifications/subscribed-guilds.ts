import { LRUCache } from "lru-cache";
import type { GuildId } from "../../contracts/ids.ts";

/** Guilds that had a webhook for occurrences when this process last asked. A guild that is not listed may have one. */
export interface SubscribedGuilds {
  has(guildId: GuildId): boolean;
  /** Records a response about guilds. */
  note(requested: readonly GuildId[], subscribed: readonly GuildId[]): void;
}

/** A few megabytes. Bounded by size, because with `max` lru-cache allocates its tables at full length. */
const KNOWN = { maxSize: 50_000, sizeCalculation: () => 1 };

export function newSubscribedGuilds(): SubscribedGuilds {
  const known = new LRUCache<GuildId, true>(KNOWN);
  return {
    has: (guildId) => known.get(guildId) === true,
    note(requested, subscribed) {
      const present = new Set(subscribed);
      for (const guildId of requested) {
        if (present.has(guildId)) known.set(guildId, true);
        else known.delete(guildId);
      }
    },
  };
}
