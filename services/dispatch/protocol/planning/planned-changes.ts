import { LRUCache } from "lru-cache";
import type { Change } from "../../../contracts/change-feed.contract.ts";
import type { EpochMs } from "../../../contracts/ids.ts";
import type { PlannedChange } from "../../../contracts/planned-changes.contract.ts";
import type { Feed } from "../feeds.ts";
import type { PlanningShares } from "./planning-shares.ts";

/** Changes that stored plans include, so that the reader of the feeds need not plan them. */
export interface PlannedChanges {
  /** Adds changes that this replica has planned. */
  add(changes: readonly PlannedChange[]): void;
  /** The latest changes that this replica has planned. */
  own(): readonly PlannedChange[];
  /** Adds changes that another replica has planned. */
  addTold(changes: readonly PlannedChange[]): void;
  /**
   * Whether a stored plan includes the change, and the posts that were due from `since` on or that the change may have made
   * due.
   */
  includes(feed: Feed, change: Change, since: EpochMs): boolean;
}

/** A few megabytes. Bounded by size, because with `max` lru-cache allocates its tables at full length. */
const CACHE = { maxSize: 20_000, sizeCalculation: () => 1 };

export function newPlannedChanges(shares: PlanningShares): PlannedChanges {
  const own = new LRUCache<string, PlannedChange>(CACHE);
  const told = new LRUCache<string, PlannedChange>(CACHE);
  return {
    add: (changes) => put(own, changes),
    own: () => own.values().toArray(),
    addTold: (changes) => put(told, changes),
    includes(feed, change, since) {
      const id = keyOf(feed, change);
      if (isIncluded(change, own.get(id), since)) return true;
      // What this replica knows of its own guilds, such as their longest lead times, comes from its own plans.
      return shares.rank(change.guildId) > 0 && isIncluded(change, told.get(id), since);
    },
  };
}

function put(planned: LRUCache<string, PlannedChange>, changes: readonly PlannedChange[]): void {
  for (const change of changes) planned.set(keyOf(change.feed, change), change);
}

/** A broadcast does not say whether the record was deleted, and a deletion may have the revision of the change before. */
function isIncluded(change: Change, planned: PlannedChange | undefined, since: EpochMs): boolean {
  if (planned?.revision !== change.revision || change.deleted) return false;
  return planned.since <= Math.max(change.changedAt, since);
}

function keyOf(feed: Feed, { id }: Pick<Change, "id">): string {
  return `${feed} ${id}`;
}
