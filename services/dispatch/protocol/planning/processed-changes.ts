import { LRUCache } from "lru-cache";
import { CHANGE_FEED_OVERLAP_MS, type Change } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs, GuildId } from "../../../contracts/ids.ts";

/** The changes of a feed that were processed, as far back as the feed is read again. A forgotten change is planned twice. */
export interface ProcessedChanges {
  /** Forgets changes before `startAt`, which are not read again. */
  startRead(startAt: EpochMs): void;
  /** Whether this revision was read before. */
  isKnown(change: Change): boolean;
  isUnprocessed(change: Change): boolean;
  /** @param readAt - When the read's first page was read. */
  add(changes: readonly Change[], readAt: EpochMs): void;
  /** A plan of the guild that began at `beganAt` is stored, or the guild needs no plan. */
  markPlanned(guildId: GuildId, beganAt: EpochMs): void;
}

/** A few megabytes. Bounded by size, because with `max` lru-cache allocates its tables at full length. */
const CACHE = { maxSize: 20_000, sizeCalculation: () => 1 };

export function newProcessedChanges(): ProcessedChanges {
  const changes = new LRUCache<string, Pick<Change, "revision" | "deleted" | "changedAt">>(CACHE);
  /** Begin of each guild's plan in this read. A plan covers every change that was visible when it began. */
  const plans = new LRUCache<GuildId, EpochMs>(CACHE);

  function isKnown({ id, revision, deleted }: Change): boolean {
    const known = changes.peek(id);
    return known?.revision === revision && known.deleted === deleted;
  }

  return {
    startRead(startAt) {
      plans.clear();
      const old = changes.entries().filter(([, { changedAt }]) => changedAt < startAt);
      for (const [id] of old.toArray()) changes.delete(id);
    },
    isKnown,
    isUnprocessed(change) {
      return !isKnown(change) && change.changedAt + CHANGE_FEED_OVERLAP_MS >= (plans.get(change.guildId) ?? 0);
    },
    add(some, readAt) {
      for (const { id, revision, deleted, changedAt } of some) {
        if (changedAt < readAt - CHANGE_FEED_OVERLAP_MS) continue;
        changes.set(id, { revision, deleted, changedAt });
      }
    },
    markPlanned(guildId, beganAt) {
      plans.set(guildId, beganAt);
    },
  };
}
