import { turnIn } from "../../mixins/turn-in.ts";
import { refuse, type Refusal } from "../contracts/errors.ts";

/** How many requests of one guild are under way at once. */
export interface SlotLimits {
  /** While nothing is known of the answers. Each one that is not large lets one more be under way, up to `atOnce`. */
  readonly first: number;
  readonly atOnce: number;
  /** How many wait for others to end; further ones are refused with 429. */
  readonly waiting: number;
  /** How one is refused that has waited for too long. */
  readonly late: "TOO_MANY_REQUESTS" | "UNAVAILABLE";
}

/**
 * Lists: two of 4 MiB may be under way before the first shows that a guild's are large. With 32 of them three guilds took
 * 732 MiB; with eight 412, and the first second was their neighbours' slowest.
 */
export const LISTS: SlotLimits = { first: 2, atOnce: 8, waiting: 64, late: "TOO_MANY_REQUESTS" };
/**
 * All else: a burst of one guild is worked off a few at a time, and its neighbours' requests have their turns between. Each
 * takes milliseconds, unless something does not answer.
 */
export const NO_LISTS: SlotLimits = { first: 8, atOnce: 8, waiting: 1_000, late: "UNAVAILABLE" };

/** How many of a guild are under way at once after an answer was large, and until it is taken. */
const AFTER_LARGE = 1;
/** For how long a guild whose list was large is expected to ask for more of them. */
const LARGE_FOR_MS = 10_000;
const MAX_WAIT_MS = 4_000;
/** After a large answer the guild's next one waits three times as long as it took, and no longer than this. */
const REST = 3;
const MAX_REST_MS = 250;

/** A request that is under way; `leave` may be called more than once. */
export interface GuildSlot {
  /** The answer is large: fewer of its guild's are under way at once. */
  expectLarge(): void;
  leave(): void;
}

const TOO_MANY = "Too many requests for one guild at the same moment; try again when Retry-After has passed";

interface Guild {
  underWay: number;
  allowed: number;
  largeUntil: number;
  /** The next one first. */
  readonly waiting: (() => void)[];
}

/**
 * Lets a few requests of each guild be under way at once. A list holds memory from the first entry that its owner reads until
 * the last byte is taken; any request holds the others up for as long as it computes. Further ones wait briefly, so that
 * what a guild asks for at once costs its own requests time, and nobody else's.
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

  /** Refused where too many wait, or this one waited too long. */
  async enter(name: string): Promise<GuildSlot | Refusal> {
    const guild = this.#guilds.get(name) ?? { underWay: 0, allowed: this.#limits.first, largeUntil: 0, waiting: [] };
    this.#guilds.set(name, guild);
    const { waiting, late } = this.#limits;
    if (this.#hasRoom(guild)) guild.underWay += 1;
    else if (guild.waiting.length >= waiting) return refuse("TOO_MANY_REQUESTS", undefined, TOO_MANY);
    else if (!(await turnIn(guild.waiting, MAX_WAIT_MS))) {
      return refuse(late, undefined, late === "TOO_MANY_REQUESTS" ? TOO_MANY : undefined);
    }
    const enteredAt = this.#clock();
    let [isUnderWay, isLarge] = [true, false];
    return {
      expectLarge: () => {
        isLarge = true;
        guild.allowed = this.#limits.first;
        guild.largeUntil = this.#clock() + LARGE_FOR_MS;
      },
      leave: () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        if (!isLarge) guild.allowed = Math.min(this.#limits.atOnce, guild.allowed + 1);
        const restMs = isLarge ? Math.min(REST * (this.#clock() - enteredAt), MAX_REST_MS) : 0;
        if (restMs > 0) setTimeout(() => this.#leave(name, guild), restMs).unref();
        else this.#leave(name, guild);
      },
    };
  }

  #hasRoom({ underWay, allowed, largeUntil }: Guild): boolean {
    return underWay < (this.#clock() < largeUntil ? AFTER_LARGE : allowed);
  }

  #leave(name: string, guild: Guild): void {
    guild.underWay -= 1;
    while (guild.waiting.length > 0 && this.#hasRoom(guild)) {
      guild.underWay += 1;
      guild.waiting.shift()?.();
    }
    if (guild.underWay > 0) return;
    if (this.#clock() >= guild.largeUntil) this.#guilds.delete(name);
    else this.#forgetLarge();
  }

  /** Of the guilds whose large lists are over; those of the last seconds are few, since each took its time. */
  #forgetLarge(): void {
    const now = this.#clock();
    for (const [name, { underWay, largeUntil }] of this.#guilds) {
      if (underWay === 0 && now >= largeUntil) this.#guilds.delete(name);
    }
  }
}
