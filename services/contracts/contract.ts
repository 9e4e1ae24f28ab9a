import type { ValidationRule, ValidationSchema } from "fastest-validator";
import type { EpochMs, WriteId } from "./ids.ts";
import type { OwnerName } from "./service-names.ts";

/**
 * What is wrong with one field of a request (D4). `field` is a path such as `recurrence.count` or `roles[3]`, and the
 * message goes on from it: "hours" "must be at least 0".
 */
export interface FieldProblem {
  readonly field: string;
  readonly code: FieldProblemCode;
  readonly message: string;
  /** The values that would be accepted, where they can be listed. */
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
 * One action as its callers and its owner both see it: the name on the bus, the rules for its params, and (as
 * types alone) params and result.
 */
export interface ActionContract<Params, Result> {
  /** `context.verb`. */
  readonly name: string;
  /** Whose keys may ask for it (D3): the gateway and the owner both hold to this one rule. */
  readonly keys: KeyRule;
  /** fastest-validator rules; unknown fields are always refused on the bus. */
  readonly params: ValidationSchema;
  /**
   * Rules that tie several fields together. Called with whatever came in, so that every bad field can be named
   * at once (D4): it must not assume that any single field passed its own rule.
   */
  readonly crossFieldProblems?: (params: Partial<Record<keyof Params, unknown>>) => FieldProblem[];
  /** The other services that it asks, for these params: while one of them is gone, it has no answer either. */
  readonly dependsOn?: (params: Params) => readonly OwnerName[];
  /**
   * True when it may be asked for again if its answer was lost: it is a read, or its owner does it once under the write's
   * id (`CallMeta`).
   */
  readonly idempotent: boolean;
  /** Of a list: how its caller asks for less of it, when it is larger than an answer may be (D17, D38). */
  readonly narrowing?: ListNarrowing<Params>;
  /** Looks through as much of a guild as its lists do: the gateway counts it among them. */
  readonly isSearch?: true;
  /** Never set; carries the types. */
  readonly types?: { readonly params: Params; readonly result: Result };
}

/** The param by which a list gets shorter; the advice goes on from its name: "amount" "must be smaller". */
interface ListNarrowing<Params> {
  readonly field: keyof Params & string;
  readonly advice: string;
}

/**
 * Whose keys may ask. `guild`: those that open `params.guildId`; `operator`: an operator's; each to read, or to write
 * as well. `none`: no key at all, which leaves calls from inside the service.
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

/** What travels beside the params of every call. */
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
