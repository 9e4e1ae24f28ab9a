import { randomUUID } from "node:crypto";
import { paramsCheck } from "../../../mixins/actions/check-params.ts";
import { asError, isRead } from "../../../mixins/actions/contract-action.ts";
import { mayCall } from "../../../mixins/actions/may-call.ts";
import type { DatabaseClock } from "../../../mixins/mongo/database-clock.ts";
import { WRITE_DEADLINE_MS } from "../../../mixins/mongo/write-context.ts";
import type { ActionContract, CallMeta } from "../../contracts/contract.ts";
import { isRefusal, refuse, type Refusal } from "../../contracts/errors.ts";
import type { GatewayRates } from "../rates/gateway-rates.ts";
import type { RateStanding } from "../rates/rate-limit.ts";
import { toRefusal } from "../request-handler.ts";
import type { RequestConcurrency } from "../concurrency/request-concurrency.ts";
import { type BusUser, callerOf } from "./bus-user.ts";
import { scopedWriteId } from "./scoped-write-id.ts";

type Contract = ActionContract<unknown, unknown>;

export interface BusCallOptions {
  /** The rate limits of HTTP requests; a user counts as a key. */
  readonly rates: Pick<GatewayRates, "keys" | "guilds">;
  readonly concurrency: Pick<RequestConcurrency, "acquire">;
  /** The clock of the database server, as the gateway knows it: never ahead of the server. */
  readonly clock: Pick<DatabaseClock, "now">;
  /** Whether the user was not revoked when the users were last read. */
  readonly isServed: (user: BusUser) => boolean;
  /** Calls the owner of the action. `onResponse` is that of `CallOptions`. */
  readonly call: (
    contract: Contract,
    params: unknown,
    meta: CallMeta,
    onResponse: (msBeforeAttempt: number) => void,
  ) => Promise<unknown>;
  /** Receives every unexpected error. */
  readonly onDefect: (error: unknown, requestId: string) => void;
}

/** Calls an action for a bus user. Rejects with an error that Moleculer can send to the user. */
export type BusCall = (user: BusUser, contract: Contract, params: unknown, meta: object) => Promise<unknown>;

/** Concurrent calls of one user in one gateway. */
const MAX_CONCURRENT = 256;
/**
 * Bytes of a response as JSON, in which CBOR is not longer. A response must fit into one NATS message (`max_payload` is 640 KiB):
 * the broker of a bus user does not join the parts of a longer one.
 */
const MAX_BUS_RESPONSE_BYTES = 512 * 1024;

/**
 * The steps of a bus user's call, in the order of D3: 429 user → 400 → 403 → 429 guild → the action. Of the user's meta only
 * `writeId` is used: the gateway itself adds the caller, so a user cannot claim to be another one.
 */
export function busCalls({ rates, concurrency, clock, isServed, call, onDefect }: BusCallOptions): BusCall {
  const runningCalls = new Map<string, number>();

  async function callInSlot(contract: Contract, params: unknown, meta: CallMeta): Promise<unknown> {
    const { guildId } = params as { readonly guildId?: string };
    const slot = await concurrency.acquire({ contract, guildId, keyId: meta.caller?.keyId ?? "" });
    if (isRefusal(slot)) return slot;
    try {
      const result = await call(contract, params, meta, (ms) => slot.discount(ms));
      if (jsonLength(result) <= MAX_BUS_RESPONSE_BYTES) return result;
      slot.markLarge();
      return responseTooLarge(contract);
    } finally {
      slot.release();
    }
  }

  async function checkAndCall(user: BusUser, contract: Contract, params: unknown, userMeta: object): Promise<unknown> {
    if (!isServed(user)) return refuse("UNAVAILABLE");
    const caller = callerOf(user);
    const userStanding = rates.keys.take(caller.keyId, Date.now());
    if (userStanding.waitMs > 0) return rateLimited(userStanding);
    const now = clock.now();
    const { writeId: userWriteId } = userMeta as { readonly writeId?: unknown };
    const writeId = isRead(contract) ? undefined : scopedWriteId(user.name, userWriteId, now);
    if (isRefusal(writeId)) return writeId;
    const problems = paramsCheck(contract)(Object(params) as object);
    if (problems.length > 0) return refuse("INVALID_REQUEST", problems);
    if (!mayCall(contract, params as object, caller)) return refuse("FORBIDDEN");
    const { guildId } = params as { readonly guildId?: string };
    const guildStanding = guildId === undefined ? undefined : rates.guilds.take(guildId, Date.now());
    if (guildStanding !== undefined && guildStanding.waitMs > 0) return rateLimited(guildStanding);
    const write = writeId === undefined ? {} : { writeId, writeUntil: now + WRITE_DEADLINE_MS };
    return callInSlot(contract, params, { requestId: randomUUID(), caller, ...write });
  }

  /** Maps an error to a refusal; an unexpected error is logged, and becomes INTERNAL. */
  function refusalOrDefect(contract: Contract) {
    const asRefusal = toRefusal(contract);
    return (error: unknown): Refusal => {
      try {
        return asRefusal(error);
      } catch (defect) {
        onDefect(defect, randomUUID());
        return refuse("INTERNAL");
      }
    };
  }

  return async (user, contract, params, meta) => {
    const running = runningCalls.get(user.name) ?? 0;
    if (running >= MAX_CONCURRENT) throw asError(refuse("TOO_MANY_REQUESTS", undefined, TOO_MANY_CONCURRENT));
    runningCalls.set(user.name, running + 1);
    try {
      const outcome = await checkAndCall(user, contract, params, meta).catch(refusalOrDefect(contract));
      if (isRefusal(outcome)) throw asError(outcome);
      return outcome;
    } finally {
      const remaining = (runningCalls.get(user.name) ?? 1) - 1;
      if (remaining === 0) runningCalls.delete(user.name);
      else runningCalls.set(user.name, remaining);
    }
  };
}

const TOO_MANY_CONCURRENT = `More than ${MAX_CONCURRENT} calls at the same moment; try again`;

function rateLimited({ waitMs }: RateStanding): Refusal {
  return refuse("TOO_MANY_REQUESTS", undefined, `Too many requests; try again in ${Math.ceil(waitMs)} ms`);
}

function responseTooLarge({ narrowing }: Contract): Refusal {
  const message = `the response would be larger than ${MAX_BUS_RESPONSE_BYTES} bytes`;
  const problems =
    narrowing === undefined
      ? []
      : [{ field: narrowing.field, code: "TOO_MANY", message: `${narrowing.advice}: ${message}` } as const];
  return refuse("TOO_MANY_ENTRIES", problems, message.replace("t", "T"));
}

function jsonLength(result: unknown): number {
  const text = JSON.stringify(result) as string | undefined;
  return text === undefined ? 0 : Buffer.byteLength(text);
}
