import type { ValidationRule } from "fastest-validator";
import type { ErrorType } from "./errors.ts";
import type { FieldProblem } from "./field-problem.ts";
import type { EpochMs, WriteId } from "./ids.ts";
import type { OwnerName } from "./service-names.ts";

/**
 * The contract of an action between its callers and its owner: the name on the bus, rules for the params, and the types of
 * params and result.
 */
export interface ActionContract<Params, Result> {
  /** `context.verb`. */
  readonly name: string;
  /** The keys that may call it (D3); the gateway and the owner both check this rule. */
  readonly keys: KeyRule;
  /**
   * The refusals that depend on what is stored (`errors.ts`). Others follow from the contract, or may come from every action:
   * docs/nats.md lists them.
   */
  readonly refusals?: readonly ErrorType[];
  /** Rules of fastest-validator. On the bus unknown fields are always refused. */
  readonly params: { readonly [Field in keyof Required<Params> & string]: ValidationRule };
  /**
   * Checks that involve several fields. Called with unchecked values, so that one error names every invalid field (D4): it
   * must not assume that a field has passed its own rule.
   */
  readonly crossFieldProblems?: (params: Partial<Record<keyof Params, unknown>>) => FieldProblem[];
  /** Whether a call of a writing action with these params stores nothing, and only shows its effect. Absent if none does. */
  readonly isDryRun?: (params: Params) => boolean;
  /** A list of writes that are not performed: each entry is checked as the params of the action that it stands for. */
  readonly drafts?: DraftsRule;
  /** The other services that the action calls for these params. While one of them is unavailable, the action is, too. */
  readonly dependsOn?: (params: Params) => readonly OwnerName[];
  /**
   * True if the action may be retried after a lost response: it is a read, or its owner performs it once per write id
   * (`CallMeta`).
   */
  readonly idempotent: boolean;
  /** For lists: the advice to the client when the list exceeds the limits of a response (D17, D38). */
  readonly narrowing?: ListNarrowing<Params>;
  /** Set if the action reads as much data as a list: the gateway limits its concurrent calls as those of lists. */
  readonly isSearch?: true;
  /** Never set; carries the types. */
  readonly types?: { readonly params: Params; readonly result: Result };
}

/** The entries of the param `changes`. Each has an `action`, and the params of this action's contract except the guild. */
interface DraftsRule {
  readonly contracts: Readonly<Record<string, Pick<ActionContract<never, unknown>, "params">>>;
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

/** Declares an action with the types of its params and result. */
export function action<Params, Result>(
  contract: Omit<ActionContract<Params, Result>, "types">,
): ActionContract<Params, Result> {
  return contract;
}

/** The contract of an event between its senders and its listeners: the name on the bus, and rules for the payload. */
export interface EventContract<Payload> {
  readonly name: string;
  /** A rule of fastest-validator for each field. A listener drops a payload with other fields or values. */
  readonly payload: Readonly<Record<keyof Payload & string, ValidationRule>>;
}

/** Declares an event with the type of its payload. */
export function broadcastEvent<Payload>(contract: EventContract<Payload>): EventContract<Payload> {
  return contract;
}

/** The metadata of every call. */
export interface CallMeta {
  /** The id that the client sees in `X-Request-Id` and in errors (D4). */
  requestId?: string;
  /** W3C Trace Context of the client, or of the gateway if the client has none; logged by every service. */
  traceparent?: string;
  /** Deadline of a write, by the database server's clock: a write that begins later changes nothing. */
  writeUntil?: EpochMs;
  /**
   * The id of a write. The owner performs a write id once, and all attempts have the same result. Without an id each attempt
   * is another write.
   */
  writeId?: WriteId;
  /** The holder of the API key, for a call through the gateway; absent for an internal call. */
  caller?: Caller;
}

/** The request that made the last change of a record. */
export interface ChangeOrigin {
  /** Time of the change, by the database server's clock. */
  readonly at: EpochMs;
  /** Request id of the client (D4). */
  readonly requestId?: string;
  /** W3C Trace Context of the write. */
  readonly traceparent?: string;
}

/** A record with the origin of its last change. */
export interface Changed {
  /** Present in the result of a get; absent if no request made the last change. */
  readonly changedBy?: ChangeOrigin;
}

/** The holder of an API key. */
export interface Caller {
  readonly keyId: string;
  /** `guild`: the listed guilds; `service`: all guilds; `operator`: all guilds and the operator's fields (D11). */
  readonly kind: "guild" | "service" | "operator";
  readonly access: "read" | "write";
  /** The guilds of a `guild` key; empty for the other kinds. */
  readonly guilds: readonly string[];
}
