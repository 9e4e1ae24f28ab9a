import { hash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Caller } from "../../contracts/contract.ts";
import { type ApiKey, callerOf, hourOf, isLive, type KeySecret, liveSecrets } from "../domain/api-key.ts";
import type { ApiKeysStore } from "./api-keys.store.ts";
import { isOurId, keyDigest, type KeySeal, sameDigest } from "./key-digests.ts";
import { decodeKey } from "./key-text.ts";

/** Tells who holds a key. */
export interface KeyRing {
  /**
   * Undefined for a key that is unknown, revoked or expired; and for one that is not known here yet and that nobody
   * here made, by its id, unless the store may be asked for it; `mayAsk` is called for those alone.
   */
  authenticate(presented: string, mayAsk?: () => boolean): Promise<Caller | undefined>;
  /** Forgets what is remembered of a key: it was changed. */
  forget(id: string): void;
}

export interface KeyRingParts {
  readonly store: Pick<ApiKeysStore, "find" | "noteUse">;
  readonly seal: KeySeal;
  /** A key that is an operator's although it is nowhere stored. */
  readonly configured?: string | undefined;
  /** Unix milliseconds. */
  readonly clock?: () => number;
  /** Told when a use could not be noted: the request goes on. */
  readonly onError: (error: unknown) => void;
}

/** How long an answer of the store is believed; a revocation shows within five seconds, even when nobody tells of it. */
export const REMEMBERED_MS = 4_000;
/** Keys that are remembered, and as many ids that nobody has made. */
const MOST_REMEMBERED = { max: 10_000 };

const CONFIGURED: Caller = { keyId: "configured", kind: "operator", access: "write", guilds: [] };

interface Remembered {
  readonly key: ApiKey | null;
  readonly at: number;
}

/** What a text is as a key; without its secret, which would otherwise lie in memory. */
interface Reading {
  readonly digest: string;
  readonly env: string | undefined;
  readonly id: string;
}

/** A text that opened: by which record, with which of its secrets, and for whom. */
interface Opening extends Reading {
  readonly key: ApiKey;
  readonly secret: KeySecret;
  readonly caller: Caller;
}

/** The key ring over a store. */
export function keyRing({ store, seal, configured, clock = Date.now, onError }: KeyRingParts): KeyRing {
  // Apart, so that a flood of made-up ids pushes out no key that is there.
  const held = new LRUCache<string, Remembered>(MOST_REMEMBERED);
  const unknown = new LRUCache<string, Remembered>(MOST_REMEMBERED);
  const asked = new Map<string, Promise<Remembered>>();
  const configuredDigest = configured === undefined ? undefined : keyDigest(seal.pepper, configured);

  async function ask(id: string): Promise<Remembered> {
    const at = clock();
    const key = await store.find(id);
    const answer = { key, at };
    (key === null ? unknown : held).set(id, answer);
    return answer;
  }

  /** Many requests with one key at the same moment ask the store once. */
  async function askOnce(id: string): Promise<Remembered> {
    const running = asked.get(id) ?? ask(id).finally(() => asked.delete(id));
    asked.set(id, running);
    return running;
  }

  /**
   * What a text is, and which record it opened: its digest is most of what a request costs here. It is no answer: whether
   * the key opens now is looked up for each request, and a record that is not the very same is compared with.
   *
   * By a digest of the text under a random key of this process: a dump of the memory shows no API key, and no digest that
   * another process has as well.
   */
  const opened = new LRUCache<string, Opening>(MOST_REMEMBERED);
  const processKey = randomBytes(32).toString("hex");
  const read = (presented: string): Reading => {
    const { env, id = "" } = decodeKey(presented) ?? {};
    return { digest: keyDigest(seal.pepper, presented), env, id };
  };

  async function keyOf(id: string, mayAsk: () => boolean): Promise<ApiKey | null> {
    const known = held.get(id) ?? unknown.get(id);
    if (known !== undefined && clock() - known.at < REMEMBERED_MS) return known.key;
    return held.has(id) || isOurId(seal.pepper, id) || mayAsk() ? (await askOnce(id)).key : null;
  }

  /** Once an hour; a replica that notes the same hour changes nothing. */
  function noteUse(id: string, now: number): void {
    const hour = hourOf(now);
    const known = held.get(id);
    if (known === undefined || known.key === null || (known.key.lastUsedAt ?? 0) >= hour) return;
    held.set(id, { ...known, key: { ...known.key, lastUsedAt: hour } });
    store.noteUse(id, hour).catch(onError);
  }

  return {
    async authenticate(presented, mayAsk = () => true) {
      const cacheKey = hash("sha256", processKey + presented, "base64");
      const before = opened.get(cacheKey);
      const { digest, env, id } = before ?? read(presented);
      if (before === undefined && configuredDigest !== undefined && sameDigest(digest, configuredDigest))
        return CONFIGURED;
      const key = env === seal.env ? await keyOf(id, mayAsk) : null;
      if (key === null) return undefined;
      const now = clock();
      const isSame = key === before?.key && isLive(key, before.secret, now);
      const secret = isSame ? before.secret : liveSecrets(key, now).find((each) => sameDigest(digest, each.digest));
      if (secret === undefined) return undefined;
      noteUse(key.id, now);
      if (isSame) return before.caller;
      const caller = callerOf(key);
      opened.set(cacheKey, { digest, env, id, key, secret, caller });
      return caller;
    },

    forget(id) {
      held.delete(id);
      unknown.delete(id);
      // An answer that is on its way may be from before the change: nobody joins it any more.
      asked.delete(id);
    },
  };
}
