import { LRUCache } from "lru-cache";
import { CHANGE_FEED_OVERLAP_MS, type Change } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";

/** What a feed's readings have had of its changes, as far as it is read again. What is forgotten is planned once more. */
export interface ChangesSeen {
  /** A reading begins there: what changed before is not read again. */
  beginReading(startAt: EpochMs): void;
  isNews(change: Change): boolean;
  /** The plans that these changes ask for are asked for; the reading's first page was read then. */
  remember(changes: readonly Change[], readAt: EpochMs): void;
  /** A plan of the guild, which began then, is stored; or the guild had nothing to be planned. */
  planned(guildId: GuildId, beganAt: EpochMs): void;
}

/** A few megabytes. By size, since with `max` the library makes its tables at their full length at once. */
const BOUND = { maxSize: 20_000, sizeCalculation: () => 1 };

export function newChangesSeen(): ChangesSeen {
  const changes = new LRUCache<string, Pick<Change, "revision" | "deleted" | "changedAt">>(BOUND);
  /** When this reading's plans of guilds began: a plan holds all that was visible then, and so all that is older. */
  const plans = new LRUCache<GuildId, EpochMs>(BOUND);

  return {
    beginReading(startAt) {
      plans.clear();
      const old = changes.entries().filter(([, { changedAt }]) => changedAt < startAt);
      for (const [id] of old.toArray()) changes.delete(id);
    },
    isNews({ id, revision, deleted, guildId, changedAt }) {
      const known = changes.peek(id);
      if (known?.revision === revision && known.deleted === deleted) return false;
      return changedAt + CHANGE_FEED_OVERLAP_MS >= (plans.get(guildId) ?? 0);
    },
    remember(some, readAt) {
      for (const { id, revision, deleted, changedAt } of some) {
        if (changedAt < readAt - CHANGE_FEED_OVERLAP_MS) continue;
        changes.set(id, { revision, deleted, changedAt });
      }
    },
    planned(guildId, beganAt) {
      plans.set(guildId, beganAt);
    },
  };
}
