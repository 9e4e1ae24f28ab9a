import { refuse, type Refusal } from "../../contracts/errors.ts";

/** Smaller bodies are not counted: their number is limited (concurrency-limit.ts). */
export const MAX_UNCOUNTED_BYTES = 4_096;
/** For one guild or one key: 64 bodies of the largest size (D8). */
const MAX_BYTES_PER_HOLDER = 4 * 1_048_576;
/** Bytes of body texts in all; parsed, a body takes two to three times the memory of its text. */
const MAX_BYTES = 32 * 1_048_576;
/**
 * Largest share of the free memory for one guild or one key, so that a few of them never take all of it. Twenty that take
 * what they can leave room for a body of the largest size of another one.
 */
const MAX_SHARE_OF_FREE = 1 / 4;

const TOO_MANY = "Too many large requests at the same moment; try again when Retry-After has passed";

/**
 * Limits the bytes of request bodies in memory, per guild or key and in all. Eight guilds that each sent a thousand bodies
 * of the largest size took 545 MiB, because the requests of a guild wait for each other. Small requests are never refused.
 */
export class BodyMemory {
  readonly #bytesByHolder = new Map<string, number>();
  #allBytes = 0;

  /** Reserves memory for a body; the result releases it and must be called once. Refused without room. */
  reserve(holder: string, bytes: number): (() => void) | Refusal {
    if (bytes <= MAX_UNCOUNTED_BYTES) return () => undefined;
    const held = (this.#bytesByHolder.get(holder) ?? 0) + bytes;
    const free = MAX_BYTES - this.#allBytes - bytes;
    if (held > MAX_BYTES_PER_HOLDER || held > free * MAX_SHARE_OF_FREE) {
      return refuse("TOO_MANY_REQUESTS", undefined, TOO_MANY);
    }
    this.#count(holder, bytes);
    return () => this.#count(holder, -bytes);
  }

  #count(holder: string, bytes: number): void {
    this.#allBytes += bytes;
    const held = (this.#bytesByHolder.get(holder) ?? 0) + bytes;
    if (held > 0) this.#bytesByHolder.set(holder, held);
    else this.#bytesByHolder.delete(holder);
  }
}
