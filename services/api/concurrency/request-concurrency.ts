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

/** Limits the concurrent requests of each guild and key, over HTTP and over the bus together. */
export class RequestConcurrency {
  readonly #listsPerGuild = new ConcurrencyLimit(LISTS_PER_GUILD);
  readonly #listsPerKey = new ConcurrencyLimit(LISTS_PER_KEY);
  readonly #otherRequests = new ConcurrencyLimit(OTHER_REQUESTS_PER_GUILD);

  acquire({ contract, guildId, keyId }: LimitedRequest): Promise<ConcurrencySlot | Refusal> {
    const isListLike = contract.narrowing !== undefined || contract.isSearch === true;
    return isListLike ? this.#acquireList(guildId, keyId) : this.#otherRequests.acquire(guildId ?? keyId);
  }

  /** The slot of the guild first: while a list waits for it, the key's other guilds have all slots of the key. */
  async #acquireList(guildId: string | undefined, keyId: string): Promise<ConcurrencySlot | Refusal> {
    const guildSlot = await this.#listsPerGuild.acquire(guildId ?? keyId);
    if (isRefusal(guildSlot)) return guildSlot;
    const keySlot = await this.#listsPerKey.acquire(keyId);
    if (!isRefusal(keySlot)) return combineSlots(guildSlot, keySlot);
    guildSlot.release();
    return keySlot;
  }
}
