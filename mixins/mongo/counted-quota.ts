import { LRUCache } from "lru-cache";

/**
 * Limits the number of records of each owner, such as a guild. The database counts the records again for a create whose
 * count is older than a minute, or than a second near the limit; in between this process counts. So a create costs no more
 * than its write, and creates do not meet in one counter document. Therefore an owner can exceed the limit by the creates
 * in flight, and by those that other replicas store between two counts.
 */
export interface CountedQuota<Owner extends string> {
  /** Counts one more record; false if the owner has reached the limit. */
  reserve(owner: Owner): Promise<boolean>;
  /** The number of further records that the owner may have. */
  room(owner: Owner): Promise<number>;
  /** Subtracts records: a reserved one was not stored, or others were removed. */
  release(owner: Owner, records?: number): void;
}

/** Maximum age of a count far from the limit, and of a count near the limit. */
const COUNT_MAX_AGE_MS = 60_000;
const COUNT_MAX_AGE_NEAR_LIMIT_MS = 1_000;
/** Share of the limit from which a count is near it. */
const NEAR_LIMIT_SHARE = 0.9;
/** Number of owners whose count is cached. */
const MAX_OWNERS = 10_000;

interface Count {
  records: number;
  readonly countedAt: number;
}

/**
 * @param count - Counts the records of the owner in the database.
 * @param now - Monotonic clock, in milliseconds.
 */
export function countedQuota<Owner extends string>(
  maxRecords: number,
  count: (owner: Owner) => Promise<number>,
  now: () => number,
): CountedQuota<Owner> {
  const counts = new LRUCache<Owner, Promise<Count>>({ max: MAX_OWNERS });

  async function currentCount(owner: Owner): Promise<Count> {
    const known = counts.get(owner);
    if (known !== undefined) {
      const { records, countedAt } = await known;
      const maxAgeMs = records >= NEAR_LIMIT_SHARE * maxRecords ? COUNT_MAX_AGE_NEAR_LIMIT_MS : COUNT_MAX_AGE_MS;
      // A concurrent call has started to count again: wait for that count.
      if (now() - countedAt <= maxAgeMs || counts.get(owner) !== known) return counts.get(owner) ?? known;
    }
    return recount(owner);
  }

  function recount(owner: Owner): Promise<Count> {
    const countedAt = now();
    const counting = count(owner).then((records) => ({ records, countedAt }));
    counts.set(owner, counting);
    counting.catch(() => counts.delete(owner));
    return counting;
  }

  return {
    async reserve(owner) {
      const current = await currentCount(owner);
      if (current.records >= maxRecords) return false;
      current.records += 1;
      return true;
    },
    async room(owner) {
      return Math.max(0, maxRecords - (await currentCount(owner)).records);
    },
    release(owner, records = 1) {
      void counts.get(owner)?.then(
        (current) => (current.records -= records),
        () => undefined,
      );
    },
  };
}
