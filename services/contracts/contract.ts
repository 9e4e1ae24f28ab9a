import type { ValidationRule, ValidationSchema } from "fastest-validator";
import type { EpochMs, WriteId } from "./ids.ts";
import type { OwnerName } from "./service-names.ts";

/**
 * An invalid field of a request (D4). `field` is a path such as `recurrence.count` or `roles[3]`; the message continues
 * it: "hours" "must be at least 0".
 */
export interface FieldProblem {
  readonly field: string;
  readonly code: FieldProblemCode;
  readonly message: string;
  /** The accepted values, if they can be listed. */
  readonly allowed?: readonly string[];
}

export type FieldProblemCode =
  | "REQUIRED"
  | "WRONG_TYPE"
  | "MALFORMED"
  | "OUT_OF_RANGE"
  | "TOO_LONG"
  | "TOO_SHORT"
  | "TOO_MANY"
  | "NOT_ALLOWED"
  | "CONFLICTING";

/**
 * The contract of an action between its callers and its owner: name on the bus, rules for the params, and the types of
 * params and result.
 */
export interface ActionContract<Params, Result> {
  /** `context.verb`. */
  readonly name: string;
  /** The keys that may call it (D3); the gateway and the owner both check this rule. */
  readonly keys: KeyRule;
  /** fastest-validator rules. On the bus unknown fields are always refused. */
  readonly params: ValidationSchema;
  /**
   * Checks that involve several fields. Called with unchecked values, so that one answer names every invalid field (D4):
   * it must not assume that a field has passed its own rule.
   */
  readonly crossFieldProblems?: (params: Partial<Record<keyof Params, unknown>>) => FieldProblem[];
  /** The other services that it calls for these params; while one of them is down, the action is unavailable. */
  readonly dependsOn?: (params: Params) => readonly OwnerName[];
  /**
   * True if it may be retried after a lost answer: it is a read, or its owner performs it once under the write id
   * (`CallMeta`).
   */
  readonly idempotent: boolean;
  /** For lists: the advice to the client when the list exceeds the limits of an answer (D17, D38). */
  readonly narrowing?: ListNarrowing<Params>;
  /** Reads as much of a guild as a list does: the gateway applies the limits of lists. */
  readonly isSearch?: true;
  /** Never set; carries the types. */
  readonly types?: { readonly params: Params; readonly result: Result };
}

/** The param that shortens a list. The advice continues its name: "amount" "must be smaller". */
interface ListNarrowing<Params> {
  readonly field: keyof Params & string;
  readonly advice: string;
}

/**
 * The keys that may call an action. `guild`: keys for `params.guildId`; `operator`: operator keys; with read or write
 * access. `none`: no key; only internal calls.
 */
export type KeyRule = "guild read" | "guild write" | "operator read" | "operator write" | "none";

export type ParamsOf<C> = C extends ActionContract<infer P, infer _> ? P : never;
export type ResultOf<C> = C extends ActionContract<infer _, infer R> ? R : never;

/** Declares an action; the types are given, the rest is the table. */
export function action<Params, Result>(
  contract: Omit<ActionContract<Params, Result>, "types">,
): ActionContract<Params, Result> {
  return contract;
}

/** One event as its senders and its listeners see it: the name on the bus, and the rules for its payload. */
export interface EventContract<Payload> {
  readonly name: string;
  /** fastest-validator rules, one for each field; a listener drops a payload with other fields or values. */
  readonly payload: Readonly<Record<keyof Payload & string, ValidationRule>>;
}

/** Declares an event; the type of its payload is given. */
export function broadcastEvent<Payload>(contract: EventContract<Payload>): EventContract<Payload> {
  return contract;
}

/** The metadata of every call. */
export interface CallMeta {
  /** The id that the client sees in `X-Request-Id` and in errors (D4). */
  requestId?: string;
  /** The trace that the client is in, or one that the gateway began: W3C Trace Context, for the log of every service. */
  traceparent?: string;
  /** When a write must have been begun, by the database server's clock: later it changes nothing. */
  writeUntil?: EpochMs;
  /**
   * The id of a write, the same in each of its tries: its owner does it once, and answers each try alike. Absent: a write
   * that is sent again is another write.
   */
  writeId?: WriteId;
  /** Who asks, when the call came in through the gateway; absent for a call from inside the service. */
  caller?: Caller;
}

/** The request by which a record got the state that it has. */
export interface ChangeOrigin {
  /** When that was stored: database time. */
  readonly at: EpochMs;
  /** The id that its client saw (D4). */
  readonly requestId?: string;
  /** Its trace, and of that the work that stored it: W3C Trace Context. */
  readonly traceparent?: string;
}

/** A record as it is after a change. */
export interface Changed {
  /** The request of its last write, where the one record is asked for; absent where it was nobody's. */
  readonly changedBy?: ChangeOrigin;
}

/** The holder of an API key. */
export interface Caller {
  readonly keyId: string;
  /** `guild`: the listed guilds; `service`: all guilds; `operator`: all guilds and the operator's fields (D11). */
  readonly kind: "guild" | "service" | "operator";
  readonly access: "read" | "write";
  /** The guilds that a `guild` key opens; empty for the other kinds. */
  readonly guilds: readonly string[];
}
