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
import { UsualDuration } from "./usual-duration.ts";

/** The properties of a request that select its limit. */
interface LimitedRequest {
  readonly contract: Pick<ActionContract<unknown, unknown>, "narrowing" | "isSearch">;
  readonly guildId: string | undefined;
  readonly keyId: string;
  /** Set if it does the work of many requests, so that its duration says nothing about theirs. */
  readonly isBulk?: true;
}

/**
 * Limits the concurrent requests of each guild in this process, over HTTP and over the bus together, and the concurrent lists of
 * each key. A request without a guild counts for its key.
 */
export class RequestConcurrency {
  readonly #clock: () => number;
  readonly #usual: UsualDuration;
  readonly #listsPerGuild: ConcurrencyLimit;
  readonly #listsPerKey: ConcurrencyLimit;
  readonly #othersPerGuild: ConcurrencyLimit;

  /** `clock` is monotonic, in milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#usual = new UsualDuration(clock);
    this.#listsPerGuild = new ConcurrencyLimit(LISTS_PER_GUILD, clock, () => this.#usual.ms());
    this.#listsPerKey = new ConcurrencyLimit(LISTS_PER_KEY, clock);
    this.#othersPerGuild = new ConcurrencyLimit(OTHER_REQUESTS_PER_GUILD, clock);
  }

  /** Waits for a slot as long as the limit allows, and refuses then. */
  acquire({ contract, guildId, keyId, isBulk }: LimitedRequest): Promise<ConcurrencySlot | Refusal> {
    const isListLike = contract.narrowing !== undefined || contract.isSearch === true;
    return isListLike ? this.#acquireList(guildId, keyId) : this.#acquireOther(guildId ?? keyId, isBulk === true);
  }

  /** Lists are compared with the duration of these requests. */
  async #acquireOther(holderId: string, isBulk: boolean): Promise<ConcurrencySlot | Refusal> {
    const slot = await this.#othersPerGuild.acquire(holderId);
    if (isRefusal(slot) || isBulk) return slot;
    const acquiredAt = this.#clock();
    const release = () => {
      this.#usual.add(this.#clock() - acquiredAt);
      slot.release();
    };
    return { ...slot, release };
  }

  /**
   * Acquires the slot of the guild first: a list that waits for its guild must not hold a slot that other guilds of the key need.
   * The wait for the slot of the key does not make the list of the guild a slow one.
   */
  async #acquireList(guildId: string | undefined, keyId: string): Promise<ConcurrencySlot | Refusal> {
    const guildSlot = await this.#listsPerGuild.acquire(guildId ?? keyId);
    if (isRefusal(guildSlot)) return guildSlot;
    const acquiredAt = this.#clock();
    const keySlot = await this.#listsPerKey.acquire(keyId);
    guildSlot.discount(this.#clock() - acquiredAt);
    if (!isRefusal(keySlot)) return combineSlots(guildSlot, keySlot);
    guildSlot.release();
    return keySlot;
  }
}
