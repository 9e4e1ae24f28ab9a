import { LRUCache } from "lru-cache";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";

/**
 * How many events a guild may have. They are counted in the database now and then, and on from there in this process,
 * so that a create costs no more than its write. So a guild may get more than it may have by the creates that are in
 * flight, and by those that other replicas answer within a second.
 */
export interface EventQuota {
  /** Counts one more event; refuses if the guild has reached the limit. */
  reserve(guildId: GuildId): Promise<Refusal | undefined>;
  /** Counts less: an admitted event was not written, or an event was removed, with its changed occurrences. */
  release(guildId: GuildId, events?: number): void;
}

/** Validity of a count far from the limit, and near it. */
const COUNT_MAX_AGE_MS = 60_000;
const COUNT_MAX_AGE_NEAR_LIMIT_MS = 1_000;
/** Share of the limit from which a count is near it. */
const NEAR_LIMIT_SHARE = 0.9;
/** Number of guilds whose count is cached. */
const MAX_GUILDS = 10_000;

interface Count {
  events: number;
  readonly countedAt: number;
}

/**
 * @param count - How many the guild has in the database.
 * @param now - Milliseconds of a clock that never goes back.
 */
export function eventQuota(
  maxEvents: number,
  count: (guildId: GuildId) => Promise<number>,
  now: () => number,
): EventQuota {
  const counts = new LRUCache<GuildId, Promise<Count>>({ max: MAX_GUILDS });

  async function currentCount(guildId: GuildId): Promise<Count> {
    const known = counts.get(guildId);
    if (known !== undefined) {
      const { events, countedAt } = await known;
      const maxAgeMs = events >= NEAR_LIMIT_SHARE * maxEvents ? COUNT_MAX_AGE_NEAR_LIMIT_MS : COUNT_MAX_AGE_MS;
      // Whoever comes while another has begun to count anew waits for that.
      if (now() - countedAt <= maxAgeMs || counts.get(guildId) !== known) return counts.get(guildId) ?? known;
    }
    return recount(guildId);
  }

  function recount(guildId: GuildId): Promise<Count> {
    const countedAt = now();
    const counting = count(guildId).then((events) => ({ events, countedAt }));
    counts.set(guildId, counting);
    counting.catch(() => counts.delete(guildId));
    return counting;
  }

  return {
    async reserve(guildId) {
      const guild = await currentCount(guildId);
      if (guild.events >= maxEvents)
        return refuse(
          "TOO_MANY_EVENTS",
          undefined,
          `The guild has ${maxEvents} events and changed occurrences already`,
        );
      guild.events += 1;
      return undefined;
    },
    release(guildId, events = 1) {
      void counts.get(guildId)?.then(
        (guild) => (guild.events -= events),
        () => undefined,
      );
    },
  };
}
