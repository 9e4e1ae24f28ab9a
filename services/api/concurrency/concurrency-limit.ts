import { waitInQueue } from "../../../mixins/async/wait-in-queue.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";

/** Limits on the concurrent requests of one holder: a guild, a key, an address, or a whole gateway. */
export interface ConcurrencySettings {
  /** Concurrent requests while the size of the holder's responses is unknown. Each small response adds one, up to `max`. */
  readonly initial: number;
  readonly max: number;
  /** Length of the queue. A request that finds the queue full is refused with 429. */
  readonly maxWaiting: number;
  /** The error of a request that has waited for `MAX_WAIT_MS`. */
  readonly timeoutError: "TOO_MANY_REQUESTS" | "UNAVAILABLE";
  /**
   * Milliseconds after which a response counts as large, unless other requests are slow at that time, too. Without it only
   * `markLarge` decides.
   */
  readonly slowMs?: number;
}

/**
 * A list of 4 MiB costs memory until its client has read it: three guilds with 32 concurrent lists each took 732 MiB, with
 * eight lists 412 MiB. The gateway learns the size from the first response, so a guild begins with one request.
 */
export const LISTS_PER_GUILD: ConcurrencySettings = {
  initial: 1,
  max: 8,
  maxWaiting: 64,
  timeoutError: "TOO_MANY_REQUESTS",
  // Eight short lists of a calendar with 20 000 series took one core, and most of a second one in MongoDB.
  slowMs: 250,
};
/**
 * Concurrent lists of one key over all its guilds: a key of kind `service` opens every guild. Eight large lists fit into
 * the memory of a gateway.
 */
export const LISTS_PER_KEY: ConcurrencySettings = {
  initial: 8,
  max: 8,
  maxWaiting: 256,
  timeoutError: "TOO_MANY_REQUESTS",
};
/** Requests of other guilds are served between those of a burst. A request takes milliseconds unless a service hangs. */
export const OTHER_REQUESTS_PER_GUILD: ConcurrencySettings = {
  initial: 2,
  max: 2,
  maxWaiting: 1_000,
  timeoutError: "UNAVAILABLE",
};

/** Concurrent requests of a holder after a large response. */
const MAX_AFTER_LARGE = 1;
/** Milliseconds after a large response during which the next ones are expected to be large. */
const LARGE_FOR_MS = 10_000;
const MAX_WAIT_MS = 4_000;
/** After a large response, its slot stays taken for three times as long as the response took, at most `MAX_REST_MS`. */
const REST_FACTOR = 3;
const MAX_REST_MS = 1_000;
/** A list is slow if it takes this many times as long as requests usually do: when all are slow, it is not the cause. */
const SLOW_FACTOR = 8;

/** A slot that stands for two: `release` releases both, everything else concerns only the first one. */
export function combineSlots(one: ConcurrencySlot, other: ConcurrencySlot): ConcurrencySlot {
  return {
    markLarge: () => one.markLarge(),
    discount: (ms) => one.discount(ms),
    release() {
      one.release();
      other.release();
    },
  };
}

/** The slot of one request; `release` may be called more than once. */
export interface ConcurrencySlot {
  /** Reports a large response, which reduces the concurrent requests of the holder. */
  markLarge(): void;
  /** Subtracts milliseconds in which the request waited from its duration, as for another slot or for a response that was lost. */
  discount(ms: number): void;
  release(): void;
}

const TOO_MANY_CONCURRENT = "Too many requests at the same moment; try again when Retry-After has passed";

interface Holder {
  running: number;
  maxRunning: number;
  largeUntil: number;
  /** In the order of arrival. */
  readonly waiting: (() => void)[];
}

/**
 * Limits the concurrent requests of each holder; further requests wait in a queue of their holder. A list holds memory
 * from its first row until its client has read the last byte, and each request delays the others while it computes. With the
 * limit a burst delays the requests of its own holder only.
 */
export class ConcurrencyLimit {
  readonly #limits: ConcurrencySettings;
  readonly #holders = new Map<string, Holder>();
  readonly #clock: () => number;
  readonly #usualMs: () => number;

  /**
   * @param clock - Monotonic, in milliseconds.
   * @param usualMs - The present duration of requests that cost little.
   */
  constructor(limits: ConcurrencySettings, clock: () => number = () => performance.now(), usualMs = () => 0) {
    this.#limits = limits;
    this.#clock = clock;
    this.#usualMs = usualMs;
  }

  /** Number of holders in memory; for tests. */
  get size(): number {
    return this.#holders.size;
  }

  /** Waits for a free slot. Refused when the queue is full, or after `MAX_WAIT_MS`. */
  async acquire(holderId: string): Promise<ConcurrencySlot | Refusal> {
    const holder = this.#holders.get(holderId) ?? {
      running: 0,
      maxRunning: this.#limits.initial,
      largeUntil: 0,
      waiting: [],
    };
    this.#holders.set(holderId, holder);
    const { maxWaiting, timeoutError, slowMs = Infinity } = this.#limits;
    if (this.#hasRoom(holder)) holder.running += 1;
    else if (holder.waiting.length >= maxWaiting) return refuse("TOO_MANY_REQUESTS", undefined, TOO_MANY_CONCURRENT);
    else if (!(await waitInQueue(holder.waiting, MAX_WAIT_MS))) {
      return refuse(timeoutError, undefined, timeoutError === "TOO_MANY_REQUESTS" ? TOO_MANY_CONCURRENT : undefined);
    }
    let countedFrom = this.#clock();
    let [isReleased, isLarge] = [false, false];
    const markLarge = () => {
      isLarge = true;
      holder.maxRunning = this.#limits.initial;
      holder.largeUntil = this.#clock() + LARGE_FOR_MS;
    };
    return {
      markLarge,
      discount: (ms) => (countedFrom += ms),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        const tookMs = this.#clock() - countedFrom;
        if (tookMs >= Math.max(slowMs, SLOW_FACTOR * this.#usualMs())) markLarge();
        if (!isLarge) holder.maxRunning = Math.min(this.#limits.max, holder.maxRunning + 1);
        const restMs = isLarge ? Math.min(REST_FACTOR * tookMs, MAX_REST_MS) : 0;
        if (restMs > 0) setTimeout(() => this.#release(holderId, holder), restMs).unref();
        else this.#release(holderId, holder);
      },
    };
  }

  #hasRoom({ running, maxRunning, largeUntil }: Holder): boolean {
    return running < (this.#clock() < largeUntil ? MAX_AFTER_LARGE : maxRunning);
  }

  #release(holderId: string, holder: Holder): void {
    holder.running -= 1;
    while (holder.waiting.length > 0 && this.#hasRoom(holder)) {
      holder.running += 1;
      holder.waiting.shift()?.();
    }
    if (holder.running > 0) return;
    if (this.#clock() >= holder.largeUntil) this.#holders.delete(holderId);
    else this.#deleteExpired();
  }

  /** Deletes idle holders whose `largeUntil` has passed; the map has only the holders of the last seconds. */
  #deleteExpired(): void {
    const now = this.#clock();
    for (const [holderId, { running, largeUntil }] of this.#holders) {
      if (running === 0 && now >= largeUntil) this.#holders.delete(holderId);
    }
  }
}
