import { LRUCache } from "lru-cache";
import type { Change } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { Feed } from "../feeds.ts";

/** A change of a record that a stored plan includes. */
export interface PlannedChange {
  readonly feed: Feed;
  readonly id: string;
  readonly revision: number;
  /** The plan has the posts that were due from this instant on. */
  readonly since: EpochMs;
}

/** Changes that plans of this replica include, so that the reader of the feeds need not plan them after their broadcasts. */
export interface PlannedChanges {
  add(changes: readonly PlannedChange[]): void;
  /**
   * Whether a stored plan includes the change, and the posts that were due from `since` on or that the change may have made
   * due.
   */
  includes(feed: Feed, change: Change, since: EpochMs): boolean;
}

/** A few megabytes. Bounded by size, because with `max` lru-cache allocates its tables at full length. */
const CACHE = { maxSize: 20_000, sizeCalculation: () => 1 };

export function newPlannedChanges(): PlannedChanges {
  const known = new LRUCache<string, PlannedChange>(CACHE);
  return {
    add(changes) {
      for (const change of changes) known.set(keyOf(change.feed, change), change);
    },
    includes(feed, change, since) {
      const planned = known.get(keyOf(feed, change));
      // A broadcast does not say whether the record was deleted, and a deletion may have the revision of the change before.
      if (planned?.revision !== change.revision || change.deleted) return false;
      return planned.since <= Math.max(change.changedAt, since);
    },
  };
}

function keyOf(feed: Feed, { id }: Pick<Change, "id">): string {
  return `${feed} ${id}`;
}
