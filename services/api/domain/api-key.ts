import type { ApiKeyView, CreateKeyParams } from "../../contracts/api-keys.contract.ts";
import type { Caller } from "../../contracts/contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";

/** A stored secret of a key. */
export interface KeySecret {
  /** HMAC-SHA-256 of the whole key under the pepper, in hex. */
  readonly digest: string;
  /** Id of the pepper of the digest. A start warns about keys with another pepper, which no text matches any more. */
  readonly pepperId: string;
  /** The end of the overlap, set when another secret replaces this one. */
  readonly endsAt?: EpochMs;
}

/** A stored API key; it does not contain the text of the key. */
export interface ApiKey extends Omit<ApiKeyView, "previousUntil"> {
  /** The newest first; at most two are valid. */
  readonly secrets: readonly KeySecret[];
  /** Counts the writes, from 1. */
  readonly revision: number;
}

const HOUR_MS = 3_600_000;

/** A new key; refused unless it expires after now. */
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
 * The key with a new secret. The previous secret stays valid for the overlap, in milliseconds, so that clients can switch;
 * with 0 all earlier secrets become invalid at once. Another overlap is refused during that of the last rotation: the oldest
 * secret would become invalid early, and may be in use.
 */
export function rotated(key: ApiKey, secret: KeySecret, overlapMs: number, now: EpochMs): ApiKey | Refusal {
  if (isRevokedOrExpired(key, now)) return refuse("KEY_OVER");
  const next = { ...key, revision: key.revision + 1 };
  if (overlapMs === 0) return { ...next, secrets: [secret] };
  const [current, ...older] = validSecrets(key, now);
  if (older.length > 0) return refuse("KEY_ROTATING");
  return { ...next, secrets: [secret, ...(current === undefined ? [] : [{ ...current, endsAt: now + overlapMs }])] };
}

/** The revoked key; the time of the first revocation stays. */
export function revoked(key: ApiKey, now: EpochMs): ApiKey {
  return { ...key, revokedAt: key.revokedAt ?? now, revision: key.revision + 1 };
}

/** The secrets that are valid now. */
export function validSecrets(key: ApiKey, now: EpochMs): readonly KeySecret[] {
  return key.secrets.filter((secret) => isValid(key, secret, now));
}

/** Whether a secret of the key is valid now. */
function isValid(key: ApiKey, { endsAt = Infinity }: KeySecret, now: EpochMs): boolean {
  return now < endsAt && !isRevokedOrExpired(key, now);
}

/** The caller of a request with the key. */
export function callerOf({ id, kind, access, guilds }: Pick<ApiKey, "id" | "kind" | "access" | "guilds">): Caller {
  return { keyId: id, kind, access, guilds };
}

/** The key as an operator sees it. */
export function toView({ secrets: _, revision: __, ...key }: ApiKey, endsAt: EpochMs | undefined): ApiKeyView {
  return { ...key, ...(endsAt === undefined ? {} : { previousUntil: endsAt }) };
}

/** The end of the overlap of the last rotation; undefined outside of an overlap. */
export function previousUntil(key: ApiKey, now: EpochMs): EpochMs | undefined {
  return validSecrets(key, now)[1]?.endsAt;
}

/** The stored time of a use: the beginning of its hour, so that a busy key is written once an hour. */
export function hourOf(now: EpochMs): EpochMs {
  return Math.floor(now / HOUR_MS) * HOUR_MS;
}

function isRevokedOrExpired({ revokedAt, expiresAt = Infinity }: ApiKey, now: EpochMs): boolean {
  return revokedAt !== undefined || now >= expiresAt;
}
