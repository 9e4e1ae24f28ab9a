import { MAX_ENTRIES } from "./calendar-events.contract.ts";
import { action, broadcastEvent, type Caller, type FieldProblem } from "./contract.ts";
import { epochMs, guildId, integer, listOf, oneOf, optional, reference, textOf } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";

export const KEY_KINDS = ["guild", "service", "operator"] as const satisfies readonly Caller["kind"][];
export const KEY_ACCESS = ["read", "write"] as const satisfies readonly Caller["access"][];

/** As many guilds as one key may open; a key for more is a `service` key. */
const MAX_GUILDS = 1000;

/** How long the secret before stays valid when a key is rotated, and at most. */
export const STANDARD_OVERLAP_HOURS = 24;
const MAX_OVERLAP_HOURS = 720;

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
export interface IssuedKey {
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

export const createKey = action<CreateKeyParams, IssuedKey>({
  name: "api.createKey",
  keys: "operator write",
  params: {
    kind: oneOf(KEY_KINDS),
    access: oneOf(KEY_ACCESS),
    guilds: optional(listOf(guildId, MAX_GUILDS)),
    label: textOf("1 to 100 characters of one line", /^[^\x00-\x1f\x7f-\x9f]+$/u, 100),
    expiresAt: optional(epochMs),
  },
  crossFieldProblems: guildsOfKind,
  idempotent: false,
});

/** Every key that was ever made, the latest first, as many as `amount` and as an answer holds (D38). */
export const listKeys = action<ListKeysParams, KeysPage>({
  name: "api.listKeys",
  keys: "operator read",
  params: {
    amount: optional(integer(1, MAX_ENTRIES), MAX_ENTRIES),
    before: optional(textOf("the next of an earlier answer", /^[0-9]{1,16}_[0-9a-z]{1,32}$/, 49)),
  },
  narrowing: { field: "amount", advice: "must be a smaller number, from 1 on" },
  idempotent: true,
});

export interface ListKeysParams {
  readonly amount?: number;
  /** Goes on where an earlier page ended. */
  readonly before?: string;
}

export interface KeysPage {
  readonly keys: readonly ApiKeyView[];
  /** There are more: to be given as `before`. */
  readonly next?: string;
}

export const KEY_CHANGES = ["created", "rotated", "revoked"] as const;

/** One change of a key, as it is recorded: who made it, and what the key was afterwards. Never changed, never removed. */
export interface KeyChange extends Omit<Caller, "keyId"> {
  readonly keyId: string;
  readonly change: (typeof KEY_CHANGES)[number];
  /** The id of the key that it was done with, or what else did it, such as `first start`. */
  readonly by: string;
  readonly at: EpochMs;
  readonly label: string;
}

/** A record names a thousand guilds at most: a hundred of them are two megabytes. */
export const MAX_KEY_CHANGES = 100;

/** What was done about all keys or one, the latest first, a page at a time. */
export const listKeyChanges = action<ListKeyChangesParams, KeyChangesPage>({
  name: "api.listKeyChanges",
  keys: "operator read",
  params: {
    id: optional(reference),
    amount: optional(integer(1, MAX_KEY_CHANGES), MAX_KEY_CHANGES),
    before: optional(textOf("the next of an earlier answer", /^[0-9]{1,16}_[0-9a-f-]{36}$/, 53)),
  },
  narrowing: { field: "amount", advice: "must be a smaller number, from 1 on" },
  idempotent: true,
});

export interface ListKeyChangesParams {
  /** Of this key alone. */
  readonly id?: string;
  readonly amount?: number;
  /** Goes on where an earlier page ended. */
  readonly before?: string;
}

export interface KeyChangesPage {
  readonly changes: readonly KeyChange[];
  /** There are more: to be given as `before`. */
  readonly next?: string;
}

/** A new secret for a key. The one before stays valid for the overlap; 0 ends every other one at once. */
export const rotateKey = action<
  { readonly id: string; readonly overlapHours?: number },
  IssuedKey & { readonly previousUntil?: EpochMs }
>({
  name: "api.rotateKey",
  keys: "operator write",
  params: { id: reference, overlapHours: optional(integer(0, MAX_OVERLAP_HOURS), STANDARD_OVERLAP_HOURS) },
  idempotent: false,
});

/** Ends a key for good, everywhere within five seconds. */
export const revokeKey = action<{ readonly id: string }, void>({
  name: "api.revokeKey",
  keys: "operator write",
  params: { id: reference },
  idempotent: true,
});

export interface ApiKeyChanged {
  readonly id: string;
}
/** Broadcast after a key was rotated or revoked; a hint, which may be lost, doubled or late. */
export const apiKeyChanged = broadcastEvent<ApiKeyChanged>({
  name: "api-key.changed",
  payload: { id: textOf("a key's id", /^[a-z0-9]{1,32}$/, 32) },
});
