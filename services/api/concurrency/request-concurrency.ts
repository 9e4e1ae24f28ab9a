import type { ActionContract } from "../../contracts/contract.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import {
  combineSlots,
  type ConcurrencySlot,
  ConcurrencyLimit,
  LISTS_PER_GUILD,
  LISTS_PER_KEY,
  OTHER_REQUESTS_PER_GUILD,
} from "./concurrency-limit.ts";

/** The properties of a request that select its limit. */
interface LimitedRequest {
  readonly contract: Pick<ActionContract<unknown, unknown>, "narrowing" | "isSearch">;
  readonly guildId: string | undefined;
  readonly keyId: string;
}

/**
 * Limits the concurrent requests of each guild in this process, over HTTP and over the bus together, and the concurrent lists of
 * each key. A request without a guild counts for its key.
 */
export class RequestConcurrency {
  readonly #listsPerGuild = new ConcurrencyLimit(LISTS_PER_GUILD);
  readonly #listsPerKey = new ConcurrencyLimit(LISTS_PER_KEY);
  readonly #othersPerGuild = new ConcurrencyLimit(OTHER_REQUESTS_PER_GUILD);

  /** Waits for a slot as long as the limit allows, and refuses then. */
  acquire({ contract, guildId, keyId }: LimitedRequest): Promise<ConcurrencySlot | Refusal> {
    const isListLike = contract.narrowing !== undefined || contract.isSearch === true;
    return isListLike ? this.#acquireList(guildId, keyId) : this.#othersPerGuild.acquire(guildId ?? keyId);
  }

  /** Acquires the slot of the guild first: a list that waits for its guild must not hold a slot that other guilds of the key need. */
  async #acquireList(guildId: string | undefined, keyId: string): Promise<ConcurrencySlot | Refusal> {
    const guildSlot = await this.#listsPerGuild.acquire(guildId ?? keyId);
    if (isRefusal(guildSlot)) return guildSlot;
    const keySlot = await this.#listsPerKey.acquire(keyId);
    if (!isRefusal(keySlot)) return combineSlots(guildSlot, keySlot);
    guildSlot.release();
    return keySlot;
  }
}
