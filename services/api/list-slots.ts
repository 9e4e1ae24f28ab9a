import { turnIn } from "../../mixins/turn-in.ts";

/**
 * Lists of one guild that are under way at once, while none of them was large: a guild that suddenly asks for large ones
 * holds eight times 4 MiB. With 32 of them three guilds took 732 MiB, with eight 412.
 */
const MAX_SMALL = 8;
/** The same after one was large, and until it is taken. */
const MAX_LARGE = 1;
/** For how long a guild whose list was large is expected to ask for more of them. */
const LARGE_FOR_MS = 10_000;
/** Requests for lists of one guild that wait for others to end, and for how long. */
const MAX_WAITING = 64;
const MAX_WAIT_MS = 4_000;

/** A list that is under way; `leave` may be called more than once. */
export interface ListSlot {
  /** The list is large: fewer of its guild's are under way at once. */
  expectLarge(): void;
  leave(): void;
}

interface Guild {
  underWay: number;
  largeUntil: number;
  /** The next one first. */
  readonly waiting: (() => void)[];
}

/**
 * How many lists of one guild are under way at once: each holds memory from the first entry that its owner reads until
 * the last byte is taken. Others wait briefly, so that a guild's large lists cost its own requests time, and nobody else's.
 */
export class ListSlots {
  readonly #guilds = new Map<string, Guild>();
  readonly #clock: () => number;

  /** `clock` is monotonic, in milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** How many guilds are known; for tests. */
  get size(): number {
    return this.#guilds.size;
  }

  /** Undefined where too many wait, or this one waited too long. */
  async enter(name: string): Promise<ListSlot | undefined> {
    const guild = this.#guilds.get(name) ?? { underWay: 0, largeUntil: 0, waiting: [] };
    this.#guilds.set(name, guild);
    if (!this.#hasRoom(guild)) {
      if (guild.waiting.length >= MAX_WAITING || !(await turnIn(guild.waiting, MAX_WAIT_MS))) return undefined;
    } else guild.underWay += 1;
    let isUnderWay = true;
    return {
      expectLarge: () => void (guild.largeUntil = this.#clock() + LARGE_FOR_MS),
      leave: () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        this.#leave(name, guild);
      },
    };
  }

  #hasRoom({ underWay, largeUntil }: Guild): boolean {
    return underWay < (this.#clock() < largeUntil ? MAX_LARGE : MAX_SMALL);
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
