import type { ActionContract } from "../../contracts/contract.ts";
import { isRefusal, type Refusal } from "../../contracts/errors.ts";
import {
  bothSlots,
  type GuildSlot,
  GuildSlots,
  LIST_REQUESTS,
  LISTS_OF_A_KEY,
  OTHER_REQUESTS,
} from "./concurrency-limit.ts";

/** A request, as far as its slot depends on it. */
interface SlottedRequest {
  readonly contract: Pick<ActionContract<unknown, unknown>, "narrowing" | "isSearch">;
  readonly guildId: string | undefined;
  readonly keyId: string;
}

/** The concurrent requests of each guild and key, over HTTP and over the bus together. */
export class RequestSlots {
  readonly #lists = new GuildSlots(LIST_REQUESTS);
  readonly #listsOfKey = new GuildSlots(LISTS_OF_A_KEY);
  readonly #others = new GuildSlots(OTHER_REQUESTS);

  acquire({ contract, guildId, keyId }: SlottedRequest): Promise<GuildSlot | Refusal> {
    const isLong = contract.narrowing !== undefined || contract.isSearch === true;
    return isLong ? this.#acquireList(guildId, keyId) : this.#others.acquire(guildId ?? keyId);
  }

  /** The guild's comes first: who waits for it takes no place of the key's other guilds. */
  async #acquireList(guildId: string | undefined, keyId: string): Promise<GuildSlot | Refusal> {
    const ofGuild = await this.#lists.acquire(guildId ?? keyId);
    if (isRefusal(ofGuild)) return ofGuild;
    const ofKey = await this.#listsOfKey.acquire(keyId);
    if (!isRefusal(ofKey)) return bothSlots(ofGuild, ofKey);
    ofGuild.release();
    return ofKey;
  }
}
