import { waitInQueue } from "../../../mixins/async/wait-in-queue.ts";
import { refuse, type Refusal } from "../../contracts/errors.ts";

/** Limits on the concurrent requests of one guild. */
export interface SlotLimits {
  /** Concurrent requests while the size of the guild's answers is unknown. Each small answer adds one, up to `max`. */
  readonly initial: number;
  readonly max: number;
  /** Length of the queue. A request that finds the queue full is refused with 429. */
  readonly maxWaiting: number;
  /** The error of a request that waited for `MAX_WAIT_MS`. */
  readonly timeoutError: "TOO_MANY_REQUESTS" | "UNAVAILABLE";
  /** An answer that takes so long, in milliseconds, counts as large. Without it no answer does for its time. */
  readonly slowMs?: number;
}

/**
 * A list of 4 MiB costs memory until its client has read it: three guilds with 32 concurrent lists each took 732 MiB, with
 * eight 412 MiB. The gateway learns the size with the first answer, so a guild begins with one.
 */
export const LIST_REQUESTS: SlotLimits = {
  initial: 1,
  max: 8,
  maxWaiting: 64,
  timeoutError: "TOO_MANY_REQUESTS",
  // Eight lists of a calendar with 20 000 series, which are short, took a core and most of MongoDB's.
  slowMs: 250,
};
/**
 * Concurrent lists of one key over all its guilds: a key of kind `service` opens every guild. Eight large lists fit into
 * the memory of a gateway.
 */
export const LISTS_OF_A_KEY: SlotLimits = { initial: 8, max: 8, maxWaiting: 256, timeoutError: "TOO_MANY_REQUESTS" };
/** Requests of other guilds are served between those of a burst. A request takes milliseconds unless a service hangs. */
export const OTHER_REQUESTS: SlotLimits = { initial: 4, max: 4, maxWaiting: 1_000, timeoutError: "UNAVAILABLE" };

/** Concurrent requests of a guild after a large answer. */
const MAX_AFTER_LARGE = 1;
/** For how long after a large answer the guild's next ones are expected to be large. */
const LARGE_FOR_MS = 10_000;
const MAX_WAIT_MS = 4_000;
/** A slot stays taken after a large answer for three times as long as the answer took, at most `MAX_REST_MS`. */
const REST_FACTOR = 3;
const MAX_REST_MS = 250;

/** Combines two slots: releases both, and marks the first one. */
export function bothSlots(one: GuildSlot, other: GuildSlot): GuildSlot {
  return {
    markLarge: () => one.markLarge(),
    release() {
      one.release();
      other.release();
    },
  };
}

/** The place of one request; `release` may be called more than once. */
export interface GuildSlot {
  /** Reduces the guild's concurrent requests: the answer of this one is large. */
  markLarge(): void;
  release(): void;
}

const TOO_MANY = "Too many requests at the same moment; try again when Retry-After has passed";

interface Guild {
  running: number;
  maxRunning: number;
  largeUntil: number;
  /** The next one first. */
  readonly waiting: (() => void)[];
}

/**
 * Limits the concurrent requests of each guild, or of each key; further requests wait in the guild's queue. A list holds memory from its
 * first row until its client has read the last byte, and any request delays the others while it computes. So a guild's
 * burst delays the guild's own requests and not its neighbours'.
 */
export class GuildSlots {
  readonly #limits: SlotLimits;
  readonly #guilds = new Map<string, Guild>();
  readonly #clock: () => number;

  /** `clock` is monotonic, in milliseconds. */
  constructor(limits: SlotLimits, clock: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** How many guilds are known; for tests. */
  get size(): number {
    return this.#guilds.size;
  }

  /** Waits for a free slot of the guild. Refused when the queue is full, or after `MAX_WAIT_MS`. */
  async acquire(name: string): Promise<GuildSlot | Refusal> {
    const guild = this.#guilds.get(name) ?? {
      running: 0,
      maxRunning: this.#limits.initial,
      largeUntil: 0,
      waiting: [],
    };
    this.#guilds.set(name, guild);
    const { maxWaiting, timeoutError, slowMs = Infinity } = this.#limits;
    if (this.#hasRoom(guild)) guild.running += 1;
    else if (guild.waiting.length >= maxWaiting) return refuse("TOO_MANY_REQUESTS", undefined, TOO_MANY);
    else if (!(await waitInQueue(guild.waiting, MAX_WAIT_MS))) {
      return refuse(timeoutError, undefined, timeoutError === "TOO_MANY_REQUESTS" ? TOO_MANY : undefined);
    }
    const acquiredAt = this.#clock();
    let [isReleased, isLarge] = [false, false];
    const markLarge = () => {
      isLarge = true;
      guild.maxRunning = this.#limits.initial;
      guild.largeUntil = this.#clock() + LARGE_FOR_MS;
    };
    return {
      markLarge,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        if (this.#clock() - acquiredAt >= slowMs) markLarge();
        if (!isLarge) guild.maxRunning = Math.min(this.#limits.max, guild.maxRunning + 1);
        const restMs = isLarge ? Math.min(REST_FACTOR * (this.#clock() - acquiredAt), MAX_REST_MS) : 0;
        if (restMs > 0) setTimeout(() => this.#release(name, guild), restMs).unref();
        else this.#release(name, guild);
      },
    };
  }

  #hasRoom({ running, maxRunning, largeUntil }: Guild): boolean {
    return running < (this.#clock() < largeUntil ? MAX_AFTER_LARGE : maxRunning);
  }

  #release(name: string, guild: Guild): void {
    guild.running -= 1;
    while (guild.waiting.length > 0 && this.#hasRoom(guild)) {
      guild.running += 1;
      guild.waiting.shift()?.();
    }
    if (guild.running > 0) return;
    if (this.#clock() >= guild.largeUntil) this.#guilds.delete(name);
    else this.#forgetLarge();
  }

  /** Forgets guilds whose `largeUntil` has passed. Only the guilds of the last seconds are looked through. */
  #forgetLarge(): void {
    const now = this.#clock();
    for (const [name, { running, largeUntil }] of this.#guilds) {
      if (running === 0 && now >= largeUntil) this.#guilds.delete(name);
    }
  }
}
