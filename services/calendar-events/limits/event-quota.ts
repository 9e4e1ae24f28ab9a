import { countedQuota } from "../../../mixins/mongo/counted-quota.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { GuildId } from "../../contracts/ids.ts";

/** Limits the number of events of a guild (`counted-quota.ts`). */
export interface EventQuota {
  /** Counts one more event; refuses if the guild has reached the limit. */
  reserve(guildId: GuildId): Promise<Refusal | undefined>;
  /** The number of further events that the guild may have. */
  room(guildId: GuildId): Promise<number>;
  /** Subtracts events: a reserved one was not stored, or an event was removed with its overrides. */
  release(guildId: GuildId, events?: number): void;
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
  const quota = countedQuota(maxEvents, count, now);
  return {
    async reserve(guildId) {
      if (await quota.reserve(guildId)) return undefined;
      return refuse("TOO_MANY_EVENTS", undefined, `The guild has ${maxEvents} events and changed occurrences already`);
    },
    room: (guildId) => quota.room(guildId),
    release: (guildId, events) => quota.release(guildId, events),
  };
}
