/** What a replica says of a call that its caller hears nothing of. */
export type Whereabouts = "taken" | "never";

/**
 * The calls that change something and are not heard of, at their caller. A call is lost when each replica that may have
 * taken it has said that it never came, and that it will refuse it: then it may be made again.
 *
 * One that is silent may have done it before it died. Then nobody knows.
 */
export class LostCalls {
  /** By the call's id: who has not said so yet. */
  readonly #silent = new Map<string, Set<string>>();

  /** Begins to look for a call; who has said that it never came need not say so again. */
  lookFor(id: string, replicas: readonly string[]): void {
    if (!this.#silent.has(id)) this.#silent.set(id, new Set(replicas));
  }

  /** Takes in what a replica says; true when the call is lost. */
  hear(id: string, replica: string, whereabouts: string): boolean {
    const silent = this.#silent.get(id);
    if (silent === undefined) return false;
    const never: Whereabouts = "never";
    if (whereabouts === never) return silent.delete(replica) && silent.size === 0;
    // It has the call, and was perhaps too new to be among them: what it has is not lost.
    silent.add(replica);
    return false;
  }

  forget(id: string): void {
    this.#silent.delete(id);
  }
}

interface Taken {
  readonly at: number;
  /** Gives the answer once more; absent as long as there is none, and for a call that never came. */
  tell?: () => void;
  readonly isRefused: boolean;
}

/** Longer than callers wait for an answer, and the bus holds a message back. */
export const KEPT_MS = 10_000;

/**
 * The calls that change something and came over the bus in the last ten seconds. A process that is younger than that
 * can't say what never came: it may have had another life under the same name.
 */
export class TakenCalls {
  readonly #calls = new Map<string, Taken>();
  readonly #clock: () => number;
  readonly #bornAt: number;

  /** `clock` is monotonic, in milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#bornAt = clock();
  }

  /** False for a call that was said never to have come: its caller has made another one in its place. */
  take(id: string): boolean {
    if (this.#calls.get(id)?.isRefused === true) return false;
    this.#note(id, false);
    return true;
  }

  /** `tell` gives the answer that the call was given. */
  settle(id: string, tell: () => void): void {
    const call = this.#calls.get(id);
    if (call !== undefined) call.tell = tell;
  }

  /** Gives the answer once more, where there is one. Undefined when this process can't know. */
  asked(id: string): Whereabouts | undefined {
    const call = this.#calls.get(id);
    if (call?.isRefused === false) {
      call.tell?.();
      return "taken";
    }
    if (this.#clock() - this.#bornAt < KEPT_MS) return undefined;
    this.#note(id, true);
    return "never";
  }

  #note(id: string, isRefused: boolean): void {
    const at = this.#clock();
    for (const [old, call] of this.#calls) {
      if (at - call.at < KEPT_MS) break;
      this.#calls.delete(old);
    }
    this.#calls.set(id, { at, isRefused });
  }
}
