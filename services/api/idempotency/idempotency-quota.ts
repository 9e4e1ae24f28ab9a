import { countedQuota } from "../../../mixins/mongo/counted-quota.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { IdempotencyRecordsStore } from "./idempotency-records.store.ts";

/** Largest number of keys that a guild uses within 24 hours: as many as it has events by default. */
const MAX_KEYS_PER_GUILD = 100_000;

/** MongoDB removes expired records once a minute. */
const REMOVAL_INTERVAL_MS = 60_000;

/** The refusal of a new key, with the time until the guild's oldest one is removed. */
export interface QuotaExceeded extends Refusal {
  readonly waitMs: number;
}

/** Limits the number of records of a guild, in all replicas together. */
export interface IdempotencyQuota {
  /** Counts one more key; refuses if the guild has reached the limit. */
  reserve(guildId: string): Promise<QuotaExceeded | undefined>;
  /** Subtracts a reserved key that was in use already. */
  release(guildId: string): void;
}

export function idempotencyQuota(
  store: Pick<IdempotencyRecordsStore, "count" | "msUntilExpiry">,
  maxKeys = MAX_KEYS_PER_GUILD,
): IdempotencyQuota {
  const quota = countedQuota(
    maxKeys,
    (guildId: string) => store.count(guildId),
    () => performance.now(),
  );
  const message =
    `The guild has used ${maxKeys} Idempotency-Keys within 24 hours; the oldest one expires when Retry-After has passed. ` +
    "Until then only keys that are in use are accepted, and requests without a key";
  return {
    async reserve(guildId) {
      if (await quota.reserve(guildId)) return undefined;
      const waitMs = (await store.msUntilExpiry(guildId)) + REMOVAL_INTERVAL_MS;
      return { ...refuse("TOO_MANY_REQUESTS", undefined, message), waitMs };
    },
    release: (guildId) => quota.release(guildId),
  };
}
