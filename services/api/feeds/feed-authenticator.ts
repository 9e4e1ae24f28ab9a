import { LRUCache } from "lru-cache";
import { hourOf } from "../domain/api-key.ts";
import type { Feed } from "../domain/feed.ts";
import { isSignedId, keyDigest, type KeyHashing, sameDigest } from "../keys/key-digests.ts";
import { decodeKey, FEED_PREFIX } from "../keys/key-text.ts";
import type { FeedsStore } from "./feeds.store.ts";

/** Finds the feed of a token. */
export interface FeedAuthenticator {
  /** Undefined for a token that is malformed, unknown, replaced or revoked. */
  authenticate(token: string): Promise<Feed | undefined>;
  /** Removes a changed feed from the cache. */
  forget(id: string): void;
}

interface FeedAuthenticatorOptions {
  readonly store: Pick<FeedsStore, "find" | "recordUse">;
  readonly hashing: KeyHashing;
  /** Unix milliseconds. */
  readonly clock?: () => number;
  /** Called with the error if the time of use could not be stored; the request continues. */
  readonly onError: (error: unknown) => void;
}

/** Time in the cache: a change takes effect in every gateway within five seconds, and is not broadcast. */
const CACHE_TTL_MS = 4_000;
const CACHE_SIZE = 10_000;

/** Ids are signed (key-digests.ts), so that the store is queried only for ids of this installation. */
export function feedAuthenticator({
  store,
  hashing,
  clock = Date.now,
  onError,
}: FeedAuthenticatorOptions): FeedAuthenticator {
  const known = new LRUCache<string, Promise<Feed | null>>({
    max: CACHE_SIZE,
    ttl: CACHE_TTL_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  /** The stored hours of use, so that the use of a feed is written once an hour. */
  const used = new LRUCache<string, number>({ max: CACHE_SIZE });

  function find(id: string): Promise<Feed | null> {
    const cached = known.get(id);
    if (cached !== undefined) return cached;
    const found = store.find(id);
    known.set(id, found);
    found.catch(() => {
      if (known.peek(id) === found) known.delete(id);
    });
    return found;
  }

  function recordUse({ id, lastUsedAt = 0 }: Feed): void {
    const hour = hourOf(clock());
    if (Math.max(lastUsedAt, used.get(id) ?? 0) >= hour) return;
    used.set(id, hour);
    store.recordUse(id, hour).catch(onError);
  }

  return {
    async authenticate(token) {
      const { env, id = "" } = decodeKey(token, FEED_PREFIX) ?? {};
      if (env !== hashing.env || !(known.has(id) || isSignedId(hashing.pepper, id))) return undefined;
      const feed = await find(id);
      if (feed === null || !sameDigest(keyDigest(hashing.pepper, token), feed.secret.digest)) return undefined;
      recordUse(feed);
      return feed;
    },

    forget: (id) => void known.delete(id),
  };
}
