import type { ApiKeyView, CreateKeyParams } from "../../contracts/api-keys.contract.ts";
import type { Caller } from "../../contracts/contract.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";
import type { EpochMs } from "../../contracts/ids.ts";

/** A stored secret of a key. */
export interface KeySecret {
  /** HMAC-SHA-256 of the whole key under the pepper, in hex. */
  readonly digest: string;
  /** Id of the pepper: an installation does not accept keys of another one. */
  readonly pepperId: string;
  /** Set when another secret replaced it. */
  readonly endsAt?: EpochMs;
}

/** A stored API key. It does not contain the text that clients send. */
export interface ApiKey extends Omit<ApiKeyView, "previousUntil"> {
  /** The newest first; at most two are live. */
  readonly secrets: readonly KeySecret[];
  /** Counts the writes, from 1. */
  readonly revision: number;
}

const HOUR_MS = 3_600_000;

/** A new key; refused if it would expire before now. */
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
 * with 0 all earlier secrets become invalid at once. Refused during the overlap of the last rotation: the secret that would
 * become invalid early may be in use.
 */
export function rotated(key: ApiKey, secret: KeySecret, overlapMs: number, now: EpochMs): ApiKey | Refusal {
  if (isOver(key, now)) return refuse("KEY_OVER");
  const next = { ...key, revision: key.revision + 1 };
  if (overlapMs === 0) return { ...next, secrets: [secret] };
  const [current, ...older] = liveSecrets(key, now);
  if (older.length > 0) return refuse("KEY_ROTATING");
  return { ...next, secrets: [secret, ...(current === undefined ? [] : [{ ...current, endsAt: now + overlapMs }])] };
}

/** The revoked key; the time of the first revocation stays. */
export function revoked(key: ApiKey, now: EpochMs): ApiKey {
  return { ...key, revokedAt: key.revokedAt ?? now, revision: key.revision + 1 };
}

/** The secrets that are valid now. */
export function liveSecrets(key: ApiKey, now: EpochMs): readonly KeySecret[] {
  return key.secrets.filter((secret) => isLive(key, secret, now));
}

/** Whether a secret of the key is valid now. */
export function isLive(key: ApiKey, { endsAt = Infinity }: KeySecret, now: EpochMs): boolean {
  return now < endsAt && !isOver(key, now);
}

/** The caller of a request with the key. */
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

/** The recorded time of a use: the beginning of its hour, so that a busy key is written once an hour. */
export function hourOf(now: EpochMs): EpochMs {
  return Math.floor(now / HOUR_MS) * HOUR_MS;
}

function isOver({ revokedAt, expiresAt = Infinity }: ApiKey, now: EpochMs): boolean {
  return revokedAt !== undefined || now >= expiresAt;
}
