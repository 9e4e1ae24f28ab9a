import { LRUCache } from "lru-cache";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";

/**
 * Limits the number of events of a guild. The events are counted in the database now and then, and in this process in
 * between, so that a create costs no more than its write. Therefore a guild can exceed the limit by the creates in
 * flight, and by those that other replicas store within a second.
 */
export interface EventQuota {
  /** Counts one more event; refuses if the guild has reached the limit. */
  reserve(guildId: GuildId): Promise<Refusal | undefined>;
  /** Subtracts events: a reserved one was not stored, or an event was removed with its overrides. */
  release(guildId: GuildId, events?: number): void;
}

/** Maximum age of a count far from the limit, and of one near it. */
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
 * @param count - Counts the events of the guild in the database.
 * @param now - Monotonic clock, in milliseconds.
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
      // A concurrent call has started to count again: wait for that count.
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
