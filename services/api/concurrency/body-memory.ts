import { refuse, type Refusal } from "../../contracts/errors.ts";

/** What is no larger is not counted: how many of those wait is bounded by their number (concurrency-limit.ts). */
const SMALL_BYTES = 4_096;
/** Of one guild, or of one key. As many as 64 of the largest (D8). */
const MAX_BYTES_OF_ONE = 4 * 1_048_576;
/** Its fields take two to three times as much memory as the text of a body. */
const MAX_BYTES = 32 * 1_048_576;

const TOO_MANY = "Too many large requests at the same moment; try again when Retry-After has passed";

/**
 * Bounds the bytes of bodies that wait for something, of one guild or key and of all. Eight guilds with a thousand
 * of the largest each took 545 MiB, since a guild's requests wait for each other. Somebody whose requests are small notices
 * nothing of it.
 */
export class BodiesUnderWay {
  readonly #ofName = new Map<string, number>();
  #all = 0;

  /** Counts a body until the function that is returned is called, once. Refused when there is no room for it. */
  enter(name: string, bytes: number): (() => void) | Refusal {
    if (bytes <= SMALL_BYTES) return () => undefined;
    const before = this.#ofName.get(name) ?? 0;
    if (before + bytes > MAX_BYTES_OF_ONE || this.#all + bytes > MAX_BYTES) {
      return refuse("TOO_MANY_REQUESTS", undefined, TOO_MANY);
    }
    this.#count(name, bytes);
    return () => this.#count(name, -bytes);
  }

  #count(name: string, bytes: number): void {
    this.#all += bytes;
    const ofName = (this.#ofName.get(name) ?? 0) + bytes;
    if (ofName > 0) this.#ofName.set(name, ofName);
    else this.#ofName.delete(name);
  }
}

/**
 * Lets one large body be parsed in a turn of the event loop. One of 64 KiB takes milliseconds, and whoever sends 900 at once
 * would have all others wait for all of them.
 */
export class TurnsToParse {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves when so many bytes may be parsed. */
  async wait(bytes: number): Promise<void> {
    if (bytes <= SMALL_BYTES) return;
    if (this.#isTaken) await new Promise<void>((begin) => this.#waiting.push(begin));
    this.#isTaken = true;
    setImmediate(() => {
      this.#isTaken = this.#waiting.length > 0;
      this.#waiting.shift()?.();
    });
  }
}
