import type { ApiKeyView, CreateKeyParams } from "../../contracts/api-keys.contract.ts";
import type { Caller } from "../../contracts/contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";

/** One secret of a key, as it is kept. */
export interface KeySecret {
  /** HMAC-SHA-256 of the whole key under the pepper, in hex. */
  readonly digest: string;
  /** Which pepper that was: two installations' keys don't open each other. */
  readonly pepperId: string;
  /** Set when another one took its place. */
  readonly endsAt?: EpochMs;
}

/** An API key as it is kept: nothing in it lets anybody in. */
export interface ApiKey extends Omit<ApiKeyView, "previousUntil"> {
  /** The newest first; at most two are live. */
  readonly secrets: readonly KeySecret[];
  /** Counts the writes, from 1. */
  readonly revision: number;
}

const HOUR_MS = 3_600_000;

/** A new key; one that would be over before it is made is refused. */
export function newApiKey(
  id: string,
  { guilds = [], ...params }: CreateKeyParams,
  secret: KeySecret,
  now: EpochMs,
): ApiKey | Refusal {
  if (params.expiresAt !== undefined && params.expiresAt <= now) {
    const problem = { field: "expiresAt", code: "OUT_OF_RANGE", message: "must be in the future" } as const;
    return refuse("INVALID_REQUEST", [problem]);
  }
  return { ...params, id, guilds, createdAt: now, secrets: [secret], revision: 1 };
}

/**
 * The key with a new secret. The one before stays live for the overlap, in milliseconds, so that whoever uses the key
 * can go over from one to the other; with 0 it and every other end at once. A key whose last rotation is still under
 * way is refused: the secret that would have to end early may be in use.
 */
export function rotated(key: ApiKey, secret: KeySecret, overlapMs: number, now: EpochMs): ApiKey | Refusal {
  if (isOver(key, now)) return refuse("KEY_OVER");
  const next = { ...key, revision: key.revision + 1 };
  if (overlapMs === 0) return { ...next, secrets: [secret] };
  const [current, ...older] = liveSecrets(key, now);
  if (older.length > 0) return refuse("KEY_ROTATING");
  return { ...next, secrets: [secret, ...(current === undefined ? [] : [{ ...current, endsAt: now + overlapMs }])] };
}

/** The key without any power; the first revocation counts. */
export function revoked(key: ApiKey, now: EpochMs): ApiKey {
  return { ...key, revokedAt: key.revokedAt ?? now, revision: key.revision + 1 };
}

/** The secrets that open it now. */
export function liveSecrets(key: ApiKey, now: EpochMs): readonly KeySecret[] {
  return key.secrets.filter((secret) => isLive(key, secret, now));
}

/** Whether one of the key's secrets opens it now. */
export function isLive(key: ApiKey, { endsAt = Infinity }: KeySecret, now: EpochMs): boolean {
  return now < endsAt && !isOver(key, now);
}

/** Who holds the key. */
export function callerOf({ id, kind, access, guilds }: Pick<ApiKey, "id" | "kind" | "access" | "guilds">): Caller {
  return { keyId: id, kind, access, guilds };
}

/** The key as an operator sees it. */
export function viewOf({ secrets: _, revision: __, ...key }: ApiKey, endsAt: EpochMs | undefined): ApiKeyView {
  return { ...key, ...(endsAt === undefined ? {} : { previousUntil: endsAt }) };
}

/** Until when the secret before the last rotation is valid; undefined when none is. */
export function previousUntil(key: ApiKey, now: EpochMs): EpochMs | undefined {
  return liveSecrets(key, now)[1]?.endsAt;
}

/** When a use is told: the beginning of its hour, so that a busy key is written once an hour. */
export function hourOf(now: EpochMs): EpochMs {
  return Math.floor(now / HOUR_MS) * HOUR_MS;
}

function isOver({ revokedAt, expiresAt = Infinity }: ApiKey, now: EpochMs): boolean {
  return revokedAt !== undefined || now >= expiresAt;
}
