import { hash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../contracts/contract.ts";
import { type ApiKey, callerOf, hourOf, isLive, type KeySecret, liveSecrets } from "../domain/api-key.ts";
import type { ApiKeysStore } from "./api-keys.store.ts";
import { isSignedId, keyDigest, type KeyHashing, sameDigest } from "./key-digests.ts";
import { decodeKey } from "./key-text.ts";

/** Finds the caller that an API key belongs to. */
export interface ApiKeyAuthenticator {
  /**
   * Undefined for a key that is unknown, revoked or expired. A key that is not cached and whose id this installation has
   * not signed is looked up in the store only if `mayAsk` returns true.
   */
  authenticate(presented: string, mayAsk?: () => boolean): Promise<Caller | undefined>;
  /** Removes a key from the cache, because it was changed. */
  forget(id: string): void;
}

export interface ApiKeyAuthenticatorOptions {
  readonly store: Pick<ApiKeysStore, "find" | "noteUse">;
  readonly hashing: KeyHashing;
  /** An operator key from the settings; it is not stored. */
  readonly configured?: string | undefined;
  /** Unix milliseconds. */
  readonly clock?: () => number;
  /** Receives the error when the time of use could not be stored; the request goes on. */
  readonly onError: (error: unknown) => void;
}

/** Time in the cache. A revocation takes effect within five seconds even if its broadcast is lost. */
export const CACHE_TTL_MS = 4_000;
/** Number of cached keys; the same number of unknown ids is cached. */
const CACHE_SIZE = { max: 10_000 };

const CONFIGURED: Caller = { keyId: "configured", kind: "operator", access: "write", guilds: [] };

interface CachedKey {
  readonly key: ApiKey | null;
  readonly at: number;
}

/** A presented key without its secret, which must not stay in memory. */
interface ParsedKey {
  readonly digest: string;
  readonly env: string | undefined;
  readonly id: string;
}

/** A presented key that was accepted, with the stored key and the secret that matched. */
interface AuthenticatedKey extends ParsedKey {
  readonly key: ApiKey;
  readonly secret: KeySecret;
  readonly caller: Caller;
}

/** The key authenticator over a store. */
export function apiKeyAuthenticator({
  store,
  hashing,
  configured,
  clock = Date.now,
  onError,
}: ApiKeyAuthenticatorOptions): ApiKeyAuthenticator {
  // Separate caches: a flood of invented ids must not evict existing keys.
  const existing = new LRUCache<string, CachedKey>(CACHE_SIZE);
  const unknown = new LRUCache<string, CachedKey>(CACHE_SIZE);
  const pendingReads = new Map<string, Promise<CachedKey>>();
  const configuredDigest = configured === undefined ? undefined : keyDigest(hashing.pepper, configured);

  async function readKey(id: string): Promise<CachedKey> {
    const at = clock();
    const key = await store.find(id);
    const answer = { key, at };
    (key === null ? unknown : existing).set(id, answer);
    return answer;
  }

  /** Concurrent requests with the same key share one read. */
  async function readKeyOnce(id: string): Promise<CachedKey> {
    const running = pendingReads.get(id) ?? readKey(id).finally(() => pendingReads.delete(id));
    pendingReads.set(id, running);
    return running;
  }

  /**
   * Caches the digest of accepted keys, which is the largest cost of a request here. Each request still looks up whether
   * the key is valid now, and compares digests again when the stored key has changed.
   *
   * The cache key is a digest under a random key of this process: a memory dump shows no API key and no digest that another
   * process has.
   */
  const authenticated = new LRUCache<string, AuthenticatedKey>(CACHE_SIZE);
  const processKey = randomBytes(32).toString("hex");
  const read = (presented: string): ParsedKey => {
    const { env, id = "" } = decodeKey(presented) ?? {};
    return { digest: keyDigest(hashing.pepper, presented), env, id };
  };

  async function keyOf(id: string, mayAsk: () => boolean): Promise<ApiKey | null> {
    const known = existing.get(id) ?? unknown.get(id);
    if (known !== undefined && clock() - known.at < CACHE_TTL_MS) return known.key;
    return existing.has(id) || isSignedId(hashing.pepper, id) || mayAsk() ? (await readKeyOnce(id)).key : null;
  }

  /** Stores the hour of the last use, at most once an hour; a second replica in the same hour changes nothing. */
  function noteUse(id: string, now: number): void {
    const hour = hourOf(now);
    const known = existing.get(id);
    if (known === undefined || known.key === null || (known.key.lastUsedAt ?? 0) >= hour) return;
    existing.set(id, { ...known, key: { ...known.key, lastUsedAt: hour } });
    store.noteUse(id, hour).catch(onError);
  }

  return {
    async authenticate(presented, mayAsk = () => true) {
      const cacheKey = hash("sha256", processKey + presented, "base64");
      const before = authenticated.get(cacheKey);
      const { digest, env, id } = before ?? read(presented);
      if (before === undefined && configuredDigest !== undefined && sameDigest(digest, configuredDigest))
        return CONFIGURED;
      const key = env === hashing.env ? await keyOf(id, mayAsk) : null;
      if (key === null) return undefined;
      const now = clock();
      const isSame = key === before?.key && isLive(key, before.secret, now);
      const secret = isSame ? before.secret : liveSecrets(key, now).find((each) => sameDigest(digest, each.digest));
      if (secret === undefined) return undefined;
      noteUse(key.id, now);
      if (isSame) return before.caller;
      const caller = callerOf(key);
      authenticated.set(cacheKey, { digest, env, id, key, secret, caller });
      return caller;
    },

    forget(id) {
      existing.delete(id);
      unknown.delete(id);
      // A read in progress may return the state before the change: later requests must not share it.
      pendingReads.delete(id);
    },
  };
}
