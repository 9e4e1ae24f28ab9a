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
import { refusalBy } from "../request-handler.ts";
import type { RequestSlots } from "../concurrency/request-concurrency.ts";
import { type BusUser, callerOf } from "./bus-user.ts";
import { ownWriteId } from "./bus-write-id.ts";

type Contract = ActionContract<unknown, unknown>;

export interface BusCallParts {
  /** The limits of HTTP requests: a user counts as a key. */
  readonly rates: Pick<GatewayRates, "keys" | "guilds">;
  readonly slots: Pick<RequestSlots, "acquire">;
  /** The database server's: it never runs ahead. */
  readonly clock: Pick<DatabaseClock, "now">;
  /** Whether the user was not revoked, as of a moment ago. */
  readonly isLive: (user: BusUser) => boolean;
  /** Calls the owner of the action. */
  readonly call: (contract: Contract, params: unknown, meta: CallMeta) => Promise<unknown>;
  /** Told of every error that nobody foresaw. */
  readonly onDefect: (error: unknown, requestId: string) => void;
}

/** Calls an action for a bus user. Rejects with the error that travels. */
export type BusCall = (user: BusUser, contract: Contract, params: unknown, meta: object) => Promise<unknown>;

/** Concurrent calls of one user in one gateway. */
const MAX_CONCURRENT = 256;
/** A stock broker reads one message of NATS (`max_payload` is 640 KiB), and no answer in parts. CBOR is no longer than JSON. */
const MAX_BUS_ANSWER_BYTES = 512 * 1024;

/**
 * The steps of a bus user's call, in the order of D3: 429 user → 400 → 403 → 429 guild → the action. Of the caller's meta
 * only `writeId` is read: the owner is told by the gateway who asks, and sees nothing that the user could have said of it.
 */
export function busCalls({ rates, slots, clock, isLive, call, onDefect }: BusCallParts): BusCall {
  const concurrent = new Map<string, number>();

  async function outcomeOf(contract: Contract, params: unknown, meta: CallMeta): Promise<unknown> {
    const { guildId } = params as { readonly guildId?: string };
    const slot = await slots.acquire({ contract, guildId, keyId: meta.caller?.keyId ?? "" });
    if (isRefusal(slot)) return slot;
    try {
      const result = await call(contract, params, meta);
      if (jsonLength(result) <= MAX_BUS_ANSWER_BYTES) return result;
      slot.markLarge();
      return tooLarge(contract);
    } finally {
      slot.release();
    }
  }

  async function checked(user: BusUser, contract: Contract, params: unknown, given: object): Promise<unknown> {
    if (!isLive(user)) return refuse("UNAVAILABLE");
    const caller = callerOf(user);
    const byUser = rates.keys.take(caller.keyId, Date.now());
    if (byUser.waitMs > 0) return tooMany(byUser);
    const now = clock.now();
    const { writeId: givenId } = given as { readonly writeId?: unknown };
    const writeId = isRead(contract) ? undefined : ownWriteId(user.name, givenId, now);
    if (isRefusal(writeId)) return writeId;
    const problems = paramsCheck(contract)(Object(params) as object);
    if (problems.length > 0) return refuse("INVALID_REQUEST", problems);
    if (!mayCall(contract, params as object, caller)) return refuse("FORBIDDEN");
    const { guildId } = params as { readonly guildId?: string };
    const byGuild = guildId === undefined ? undefined : rates.guilds.take(guildId, Date.now());
    if (byGuild !== undefined && byGuild.waitMs > 0) return tooMany(byGuild);
    const write = writeId === undefined ? {} : { writeId, writeUntil: now + WRITE_DEADLINE_MS };
    return outcomeOf(contract, params, { requestId: randomUUID(), caller, ...write });
  }

  /** What no table of errors foresees does not leave: it is logged, and answered with INTERNAL. */
  function foreseen(contract: Contract) {
    const asRefusal = refusalBy(contract);
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
    const running = concurrent.get(user.name) ?? 0;
    if (running >= MAX_CONCURRENT) throw asError(refuse("TOO_MANY_REQUESTS", undefined, TOO_MANY_AT_ONCE));
    concurrent.set(user.name, running + 1);
    try {
      const outcome = await checked(user, contract, params, meta).catch(foreseen(contract));
      if (isRefusal(outcome)) throw asError(outcome);
      return outcome;
    } finally {
      const left = (concurrent.get(user.name) ?? 1) - 1;
      if (left === 0) concurrent.delete(user.name);
      else concurrent.set(user.name, left);
    }
  };
}

const TOO_MANY_AT_ONCE = `More than ${MAX_CONCURRENT} calls at the same moment; try again`;

function tooMany({ waitMs }: RateStanding): Refusal {
  return refuse("TOO_MANY_REQUESTS", undefined, `Too many requests; try again in ${Math.ceil(waitMs)} ms`);
}

function tooLarge({ narrowing }: Contract): Refusal {
  const would = `the answer would be larger than ${MAX_BUS_ANSWER_BYTES} bytes`;
  const problems =
    narrowing === undefined
      ? []
      : [{ field: narrowing.field, code: "TOO_MANY", message: `${narrowing.advice}: ${would}` } as const];
  return refuse("TOO_MANY_ENTRIES", problems, would.replace("t", "T"));
}

function jsonLength(result: unknown): number {
  const text = JSON.stringify(result) as string | undefined;
  return text === undefined ? 0 : Buffer.byteLength(text);
}
