import { action, type Caller, type FieldProblem } from "./contract.ts";
import { epochMs, guildId, integer, listOf, oneOf, optional, reference, textOf } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";

export const KEY_KINDS = ["guild", "service", "operator"] as const satisfies readonly Caller["kind"][];
export const KEY_ACCESS = ["read", "write"] as const satisfies readonly Caller["access"][];

/** As many guilds as one key may open; a key for more is a `service` key. */
const MOST_GUILDS = 1000;

/** How long the secret before stays valid when a key is rotated, and at most. */
export const STANDARD_OVERLAP_HOURS = 24;
const MOST_OVERLAP_HOURS = 720;

/** An API key without its secret (D3). */
export interface ApiKeyView extends Omit<Caller, "keyId"> {
  readonly id: string;
  readonly label: string;
  readonly createdAt: EpochMs;
  readonly expiresAt?: EpochMs;
  readonly revokedAt?: EpochMs;
  /** The beginning of the hour in which it was last used. */
  readonly lastUsedAt?: EpochMs;
  /** While a rotation is under way: until when the secret before is valid as well. */
  readonly previousUntil?: EpochMs;
}

/** A key in clear: the only time that it is told. */
export interface ToldKey {
  readonly id: string;
  readonly key: string;
}

export interface CreateKeyParams {
  readonly kind: Caller["kind"];
  readonly access: Caller["access"];
  readonly guilds?: readonly GuildId[];
  /** For people: what the key is used for. */
  readonly label: string;
  readonly expiresAt?: EpochMs;
}

/** A guild's key names its guilds; the others open all, and name none. */
function guildsOfKind({ kind, guilds }: { readonly kind?: unknown; readonly guilds?: unknown }): FieldProblem[] {
  const names = Array.isArray(guilds) && guilds.length > 0;
  if (kind === "guild" && !names) {
    return [{ field: "guilds", code: "REQUIRED", message: "is required when the kind is guild" }];
  }
  if ((kind === "service" || kind === "operator") && names) {
    return [{ field: "guilds", code: "CONFLICTING", message: `must be left out: a key of the kind ${kind} opens all` }];
  }
  return [];
}

export const createKey = action<CreateKeyParams, ToldKey>({
  name: "api.createKey",
  keys: "operator write",
  params: {
    kind: oneOf(KEY_KINDS),
    access: oneOf(KEY_ACCESS),
    guilds: optional(listOf(guildId, MOST_GUILDS)),
    label: textOf("1 to 100 characters of one line", /^[^\p{Cc}]{1,100}$/u, 100),
    expiresAt: optional(epochMs),
  },
  together: guildsOfKind,
  idempotent: false,
});

/** Every key that was ever made, the latest first. */
export const listKeys = action<Record<string, never>, ApiKeyView[]>({
  name: "api.listKeys",
  keys: "operator read",
  params: {},
  idempotent: true,
});

/** A new secret for a key. The one before stays valid for the overlap; 0 ends every other one at once. */
export const rotateKey = action<
  { readonly id: string; readonly overlapHours?: number },
  ToldKey & { readonly previousUntil?: EpochMs }
>({
  name: "api.rotateKey",
  keys: "operator write",
  params: { id: reference, overlapHours: optional(integer(0, MOST_OVERLAP_HOURS), STANDARD_OVERLAP_HOURS) },
  idempotent: false,
});

/** Ends a key for good, everywhere within five seconds. */
export const revokeKey = action<{ readonly id: string }, void>({
  name: "api.revokeKey",
  keys: "operator write",
  params: { id: reference },
  idempotent: true,
});

/** Broadcast after a key was rotated or revoked; a hint, which may be lost, doubled or late. */
export const API_KEY_CHANGED = "api-key.changed";
export interface ApiKeyChanged {
  readonly id: string;
}
