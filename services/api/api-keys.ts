import { hash, randomBytes } from "node:crypto";
import type { Caller } from "../contracts/contract.ts";
import type { ApiKeysStore, StoredKey } from "./api-keys.store.ts";

/** Tells who holds a key. */
export interface KeyRing {
  /** Undefined for a key that is unknown, revoked or expired. A revocation shows within five seconds. */
  authenticate(presented: string): Promise<Caller | undefined>;
}

/** How long an answer of the store is believed. */
const REMEMBERED_MS = 5_000;
/** Keys that are remembered at most, and as many that nobody holds. */
const MOST_REMEMBERED = 10_000;

/** The key in an `Authorization` header (D3), alone or after `Bearer`. */
export function presentedKey(authorization: string | undefined): string | undefined {
  return /^(?:bearer +)?([\x21-\x7e]{1,512})$/i.exec(authorization ?? "")?.[1];
}

interface Remembered {
  readonly key: StoredKey | null;
  readonly at: number;
}

/** The key ring over a store; `clock` gives Unix milliseconds. */
export function keyRing(store: Pick<ApiKeysStore, "findByHash">, clock: () => number = Date.now): KeyRing {
  // Apart, so that a flood of made-up keys pushes out none that is held.
  const held = new Map<string, Remembered>();
  const unknown = new Map<string, Remembered>();
  const asked = new Map<string, Promise<Remembered>>();

  async function ask(digest: string): Promise<Remembered> {
    const at = clock();
    const key = await store.findByHash(digest);
    const answer = { key, at };
    remember(key === null ? unknown : held, digest, answer);
    return answer;
  }

  /** Many requests with one key at the same moment ask the store once. */
  async function askOnce(digest: string): Promise<Remembered> {
    const running = asked.get(digest) ?? ask(digest).finally(() => asked.delete(digest));
    asked.set(digest, running);
    return running;
  }

  return {
    async authenticate(presented) {
      const digest = digestOf(presented);
      const known = held.get(digest) ?? unknown.get(digest);
      const fresh = known !== undefined && clock() - known.at < REMEMBERED_MS ? known : await askOnce(digest);
      return fresh.key === null ? undefined : callerOf(fresh.key, clock());
    },
  };
}

function remember(among: Map<string, Remembered>, digest: string, answer: Remembered): void {
  among.delete(digest);
  among.set(digest, answer);
  const [oldest] = among.keys();
  if (among.size > MOST_REMEMBERED && oldest !== undefined) among.delete(oldest);
}

function callerOf({ _id, kind, access, guilds, expiresAt, revokedAt }: StoredKey, now: number): Caller | undefined {
  if (revokedAt !== undefined || (expiresAt !== undefined && expiresAt.getTime() <= now)) return undefined;
  return { keyId: _id, kind, access, guilds };
}

export function digestOf(key: string): string {
  return hash("sha256", key, "hex");
}

/** A new secret key, as it is shown once: `gc_<id>_<256 random bits>`. */
export function newKey(id: string): string {
  return `gc_${id}_${randomBytes(32).toString("base64url")}`;
}

const CONFIGURED = "configured";
const FIRST = "first";

/**
 * Makes sure that somebody can get in. A configured key is an operator's as long as it is configured: another takes
 * its place, and without one it is gone. When the collection then holds no key at all, a first one is made and
 * returned, this once.
 */
export async function ensureFirstKey(store: ApiKeysStore, configured: string | undefined): Promise<string | undefined> {
  if (configured !== undefined) {
    await store.put(operatorKey(CONFIGURED, configured, "configured by API_KEY"));
    return undefined;
  }
  await store.remove(CONFIGURED);
  if (!(await store.isEmpty())) return undefined;
  const key = newKey(FIRST);
  // Of two gateways that start at the same moment one makes it; the fixed id decides.
  return (await store.create(operatorKey(FIRST, key, "made at the first start"))) ? key : undefined;
}

function operatorKey(_id: string, key: string, label: string): StoredKey {
  return { _id, hash: digestOf(key), kind: "operator", access: "write", guilds: [], label, createdAt: new Date() };
}
