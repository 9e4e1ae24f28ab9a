import { MAX_ENTRIES } from "./calendar-events.contract.ts";
import { action, broadcastEvent, type Caller } from "./contract.ts";
import type { FieldProblem } from "./field-problem.ts";
import { epochMs, guildId, integer, listOf, oneOf, optional, reference, textOf } from "./field-rules.ts";
import type { EpochMs, GuildId } from "./ids.ts";

export const KEY_KINDS = ["guild", "service", "operator"] as const satisfies readonly Caller["kind"][];
export const KEY_ACCESS = ["read", "write"] as const satisfies readonly Caller["access"][];

/** Guilds of one key; a key for more guilds is a `service` key. */
const MAX_GUILDS = 1000;

/** Time for which the previous secret stays valid after a rotation. */
export const DEFAULT_OVERLAP_HOURS = 24;
const MAX_OVERLAP_HOURS = 720;

/** An API key without its secret (D3). */
export interface ApiKeyView extends Omit<Caller, "keyId"> {
  readonly id: string;
  readonly label: string;
  readonly createdAt: EpochMs;
  readonly expiresAt?: EpochMs;
  readonly revokedAt?: EpochMs;
  /** Beginning of the hour of the last use. */
  readonly lastUsedAt?: EpochMs;
  /** End of the overlap of the last rotation, during which the previous secret is valid, too. */
  readonly previousUntil?: EpochMs;
}

/** The text of a key, which is shown only once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

export interface CreateKeyParams {
  readonly kind: Caller["kind"];
  readonly access: Caller["access"];
  readonly guilds?: readonly GuildId[];
  /** A note about the purpose of the key. */
  readonly label: string;
  readonly expiresAt?: EpochMs;
}

/** The problem of a `guild` key without guilds, and of another key with guilds. */
function guildsProblems({ kind, guilds }: { readonly kind?: unknown; readonly guilds?: unknown }): FieldProblem[] {
  const hasGuilds = Array.isArray(guilds) && guilds.length > 0;
  if (kind === "guild" && !hasGuilds) {
    return [{ field: "guilds", code: "REQUIRED", message: "is required when the kind is guild" }];
  }
  if ((kind === "service" || kind === "operator") && hasGuilds) {
    return [
      { field: "guilds", code: "CONFLICTING", message: `must be absent: a key of the kind ${kind} is for all guilds` },
    ];
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
  crossFieldProblems: guildsProblems,
  idempotent: false,
});

/**
 * Lists all keys, the latest first, except those that were revoked or expired over a year ago. The number of entries and the
 * size of a response (D38) limit a page.
 */
export const listKeys = action<ListKeysParams, KeysPage>({
  name: "api.listKeys",
  keys: "operator read",
  params: {
    amount: optional(integer(1, MAX_ENTRIES), MAX_ENTRIES),
    before: optional(textOf("the next of an earlier response", /^[0-9]{1,16}_[0-9a-z]{1,32}$/, 49)),
  },
  narrowing: { field: "amount", advice: "must be a smaller number, from 1 on" },
  idempotent: true,
});

export interface ListKeysParams {
  readonly amount?: number;
  /** The `next` of an earlier page. */
  readonly before?: string;
}

export interface KeysPage {
  readonly keys: readonly ApiKeyView[];
  /** Cursor of the next page, for `before`; absent on the last page. */
  readonly next?: string;
}

export const KEY_CHANGES = ["created", "rotated", "revoked"] as const;

/** The record of a change: who made it, and the key after it. Records are never changed or removed. */
export interface KeyChange extends Omit<Caller, "keyId"> {
  readonly keyId: string;
  readonly change: (typeof KEY_CHANGES)[number];
  /** Id of the API key that made the change, or another origin such as `first start`. */
  readonly by: string;
  readonly at: EpochMs;
  readonly label: string;
}

/** A record has up to 1 000 guilds: 100 records take two megabytes. */
export const MAX_KEY_CHANGES = 100;

/** Lists the changes of one key or of all keys, the latest first. */
export const listKeyChanges = action<ListKeyChangesParams, KeyChangesPage>({
  name: "api.listKeyChanges",
  keys: "operator read",
  params: {
    id: optional(reference),
    amount: optional(integer(1, MAX_KEY_CHANGES), MAX_KEY_CHANGES),
    before: optional(textOf("the next of an earlier response", /^[0-9]{1,16}_[0-9a-f-]{36}$/, 53)),
  },
  narrowing: { field: "amount", advice: "must be a smaller number, from 1 on" },
  idempotent: true,
});

export interface ListKeyChangesParams {
  /** Only changes of this key. */
  readonly id?: string;
  readonly amount?: number;
  /** The `next` of an earlier page. */
  readonly before?: string;
}

export interface KeyChangesPage {
  readonly changes: readonly KeyChange[];
  /** Cursor of the next page, for `before`; absent on the last page. */
  readonly next?: string;
}

/** Gives a key a new secret. The previous secret stays valid for the overlap; with 0 every other secret ends at once. */
export const rotateKey = action<
  { readonly id: string; readonly overlapHours?: number },
  IssuedKey & { readonly previousUntil?: EpochMs }
>({
  name: "api.rotateKey",
  keys: "operator write",
  refusals: ["KEY_NOT_FOUND", "KEY_OVER", "KEY_ROTATING"],
  params: { id: reference, overlapHours: optional(integer(0, MAX_OVERLAP_HOURS), DEFAULT_OVERLAP_HOURS) },
  idempotent: false,
});

/** Revokes a key. Every gateway refuses it within five seconds. */
export const revokeKey = action<{ readonly id: string }, void>({
  name: "api.revokeKey",
  keys: "operator write",
  refusals: ["KEY_NOT_FOUND"],
  params: { id: reference },
  idempotent: true,
});

export interface ApiKeyChanged {
  readonly id: string;
}
/** Broadcast after a key was rotated or revoked. A broadcast may be lost, duplicated or late. */
export const apiKeyChanged = broadcastEvent<ApiKeyChanged>({
  name: "api-key.changed",
  payload: { id: textOf("a key's id", /^[a-z0-9]{1,32}$/, 32) },
});
