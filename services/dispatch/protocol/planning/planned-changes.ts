import { LRUCache } from "lru-cache";
import type { Change } from "../../../contracts/change-feed.contract.ts";
import type { PlannedChange } from "../../../contracts/planned-changes.contract.ts";
import type { Feed } from "../feeds.ts";
import type { PlanningShares } from "./planning-shares.ts";

/** Changes that stored plans include, so that the reader of the feeds need not plan them. */
export interface PlannedChanges {
  /** Adds changes that this replica has planned after a broadcast. */
  add(changes: readonly PlannedChange[]): void;
  /** Adds changes that another replica has planned. */
  addTold(changes: readonly PlannedChange[]): void;
  includes(feed: Feed, change: Change): boolean;
}

/** A few megabytes. Bounded by size, because with `max` lru-cache allocates its tables at full length. */
const CACHE = { maxSize: 20_000, sizeCalculation: () => 1 };

export function newPlannedChanges(shares: PlanningShares): PlannedChanges {
  const own = new LRUCache<string, PlannedChange>(CACHE);
  const told = new LRUCache<string, PlannedChange>(CACHE);
  return {
    add: (changes) => put(own, changes),
    addTold: (changes) => put(told, changes),
    includes(feed, change) {
      const id = keyOf(feed, change);
      if (isIncluded(change, own.get(id))) return true;
      // What this replica knows of its own guilds, such as their longest lead times, comes from its own plans.
      return shares.rank(change.guildId) > 0 && isIncluded(change, told.get(id));
    },
  };
}

function put(planned: LRUCache<string, PlannedChange>, changes: readonly PlannedChange[]): void {
  for (const change of changes) planned.set(keyOf(change.feed, change), change);
}

/** A broadcast does not say whether the record was deleted, and a deletion may have the revision of the change before. */
function isIncluded(change: Change, planned: PlannedChange | undefined): boolean {
  return planned?.revision === change.revision && !change.deleted && change.changedAt >= planned.since;
}

function keyOf(feed: Feed, { id }: Pick<Change, "id">): string {
  return `${feed} ${id}`;
}
