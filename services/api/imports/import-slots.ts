import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import {
  combineSlots,
  ConcurrencyLimit,
  type ConcurrencySettings,
  type ConcurrencySlot,
} from "../concurrency/concurrency-limit.ts";

const ONE_AT_A_TIME: ConcurrencySettings = { initial: 1, max: 1, maxWaiting: 4, timeoutError: "TOO_MANY_REQUESTS" };
/** An import holds what it reads, up to about 25 MB, until its end. */
const OF_A_GATEWAY: ConcurrencySettings = { initial: 2, max: 2, maxWaiting: 16, timeoutError: "TOO_MANY_REQUESTS" };

/** Limits the imports of a guild and of a key to one at a time, and those of the gateway to two. */
export class ImportSlots {
  readonly #limits = [
    new ConcurrencyLimit(ONE_AT_A_TIME),
    new ConcurrencyLimit(ONE_AT_A_TIME),
    new ConcurrencyLimit(OF_A_GATEWAY),
  ] as const;

  /**
   * Waits for a slot as long as the limits allow. The gateway's limit counts it only after `bodyBegun`: a body that arrives slowly
   * delays no other guild. A guild and a key have one such body at a time.
   *
   * @param bodyBegun - Never rejects.
   */
  async acquire(guildId: string, keyId: string, bodyBegun: () => Promise<void>): Promise<ConcurrencySlot | Refusal> {
    const [ofGuild, ofKey, ofAll] = this.#limits;
    const waits = [
      () => ofGuild.acquire(guildId),
      () => ofKey.acquire(keyId),
      async () => {
        await bodyBegun();
        return ofAll.acquire("all");
      },
    ];
    let held: ConcurrencySlot = { markLarge: () => undefined, discount: () => undefined, release: () => undefined };
    for (const wait of waits) {
      const slot = await wait();
      if (isRefusal(slot)) {
        held.release();
        return slot;
      }
      held = combineSlots(slot, held);
    }
    return held;
  }
}
