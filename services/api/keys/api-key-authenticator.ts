import { LRUCache } from "lru-cache";
import type { Caller } from "../../contracts/contract.ts";
import { type ApiKey, callerOf, hourOf, validSecrets } from "../domain/api-key.ts";
import type { ApiKeysStore } from "./api-keys.store.ts";
import { isSignedId, keyDigest, type KeyHashing, sameDigest } from "./key-digests.ts";
import { decodeKey } from "./key-text.ts";

/** Finds the caller that an API key belongs to. */
export interface ApiKeyAuthenticator {
  /**
   * Undefined for a key that is unknown, revoked or expired. A key that is not cached, and whose id has no signature of this
   * installation, is looked up in the store only if `mayLookUp` returns true.
   */
  authenticate(presented: string, mayLookUp?: () => boolean): Promise<Caller | undefined>;
  /** Removes a key from the cache, because it was changed. */
  forget(id: string): void;
}

export interface ApiKeyAuthenticatorOptions {
  readonly store: Pick<ApiKeysStore, "find" | "recordUse">;
  readonly hashing: KeyHashing;
  /** An operator key from the settings, which is not stored. */
  readonly configured?: string | undefined;
  /** Unix milliseconds. */
  readonly clock?: () => number;
  /** Receives the error when the time of use could not be stored; the request goes on. */
  readonly onError: (error: unknown) => void;
}

/** A revocation takes effect within five seconds even if its broadcast is lost. */
export const CACHE_TTL_MS = 4_000;
/** Size of each cache. */
const CACHE_SIZE = { max: 10_000 };

const CONFIGURED_KEY: Caller = { keyId: "configured", kind: "operator", access: "write", guilds: [] };

interface CachedKey {
  readonly key: ApiKey | null;
  readonly at: number;
}

export function apiKeyAuthenticator({
  store,
  hashing,
  configured,
  clock = Date.now,
  onError,
}: ApiKeyAuthenticatorOptions): ApiKeyAuthenticator {
  // Separate caches: a flood of invented ids must not evict existing keys.
  const existingKeys = new LRUCache<string, CachedKey>(CACHE_SIZE);
  const unknownIds = new LRUCache<string, CachedKey>(CACHE_SIZE);
  const pendingReads = new Map<string, Promise<CachedKey>>();
  const configuredDigest = configured === undefined ? undefined : keyDigest(hashing.pepper, configured);

  async function readKey(id: string): Promise<CachedKey> {
    const at = clock();
    const key = await store.find(id);
    const cached = { key, at };
    (key === null ? unknownIds : existingKeys).set(id, cached);
    return cached;
  }

  /** Concurrent requests with the same key share one read. */
  async function readKeyOnce(id: string): Promise<CachedKey> {
    const running = pendingReads.get(id) ?? readKey(id).finally(() => pendingReads.delete(id));
    pendingReads.set(id, running);
    return running;
  }

  async function keyOf(id: string, mayLookUp: () => boolean): Promise<ApiKey | null> {
    const cached = existingKeys.get(id) ?? unknownIds.get(id);
    if (cached !== undefined && clock() - cached.at < CACHE_TTL_MS) return cached.key;
    return existingKeys.has(id) || isSignedId(hashing.pepper, id) || mayLookUp() ? (await readKeyOnce(id)).key : null;
  }

  /** Stores the hour of the last use, at most once an hour. */
  function recordUse(id: string, now: number): void {
    const hour = hourOf(now);
    const cached = existingKeys.get(id);
    if (cached === undefined || cached.key === null || (cached.key.lastUsedAt ?? 0) >= hour) return;
    existingKeys.set(id, { ...cached, key: { ...cached.key, lastUsedAt: hour } });
    store.recordUse(id, hour).catch(onError);
  }

  return {
    async authenticate(presented, mayLookUp = () => true) {
      const digest = keyDigest(hashing.pepper, presented);
      if (configuredDigest !== undefined && sameDigest(digest, configuredDigest)) return CONFIGURED_KEY;
      const { env, id = "" } = decodeKey(presented) ?? {};
      const key = env === hashing.env ? await keyOf(id, mayLookUp) : null;
      if (key === null) return undefined;
      const now = clock();
      if (!validSecrets(key, now).some((secret) => sameDigest(digest, secret.digest))) return undefined;
      recordUse(key.id, now);
      return callerOf(key);
    },

    forget(id) {
      existingKeys.delete(id);
      unknownIds.delete(id);
      // A read in progress may return the state before the change: later requests must not share it.
      pendingReads.delete(id);
    },
  };
}
