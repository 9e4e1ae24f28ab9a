import { LRUCache } from "lru-cache";
import { moreUse, msUntilFree, UNUSED, usedOf, useNow, type WindowUse } from "../domain/sliding-window.ts";

/** A limit of the installation, with its name in the rate limit headers. */
export interface RatePolicy {
  readonly name: string;
  /** Requests within the window; 0 means no limit. */
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of a limit for one client. */
export interface RateStanding {
  readonly policy: RatePolicy;
  readonly remaining: number;
  /** Until the window's end. */
  readonly resetMs: number;
  /** Until one more is within the limit; 0 when this one was. */
  readonly waitMs: number;
}

/** Uses of a limit that this replica has not broadcast yet. */
export interface RateReport {
  readonly of: string;
  readonly window: number;
  readonly amount: number;
}

/** Number of counted clients; over it, the least recently used one is forgotten. */
const MAX_COUNTED = 50_000;
/** Share of the limit below which uses are not broadcast. */
const TOLD_SHARE = 1 / 50;

/** Reports of one limit in a broadcast, whose size is limited. Further ones follow in the next broadcast. */
export const MAX_REPORTS = 500;

interface Counted {
  use: WindowUse;
  untold: number;
}

/** Counts the uses of one limit for each client. Refused requests are not counted: waiting for `Retry-After` is enough. */
export class RateLimit {
  readonly policy: RatePolicy;
  readonly #counted = new LRUCache<string, Counted>({ max: MAX_COUNTED });

  constructor(policy: RatePolicy) {
    this.policy = policy;
  }

  /** Counts one use if the limit allows it. */
  take(of: string, now: number): RateStanding {
    const standing = this.look(of, now);
    if (standing.waitMs > 0 || this.policy.limit === 0) return standing;
    const counted = this.#of(of, now);
    counted.use = moreUse(counted.use, counted.use.window, 1);
    counted.untold += 1;
    return { ...standing, remaining: Math.max(0, standing.remaining - 1) };
  }

  /** The state of a client; counts nothing. */
  look(of: string, now: number): RateStanding {
    const { policy } = this;
    const { limit, windowMs } = policy;
    const resetMs = windowMs - (now % windowMs);
    if (limit === 0) return { policy, remaining: Infinity, resetMs, waitMs: 0 };
    const { use } = this.#counted.peek(of) ?? { use: UNUSED };
    const standing = useNow(use, now, windowMs);
    const remaining = Math.max(0, Math.floor(limit - usedOf(standing, now, windowMs)));
    return { policy, remaining, resetMs, waitMs: msUntilFree(standing, limit, now, windowMs) };
  }

  /** Adds the uses that another gateway has admitted. */
  add({ of, window, amount }: RateReport, now: number): void {
    const counted = this.#of(of, now);
    counted.use = moreUse(counted.use, window, amount);
  }

  /** The uses since the last broadcast. */
  reports(now: number): RateReport[] {
    const least = Math.max(1, this.policy.limit * TOLD_SHARE);
    const reports: RateReport[] = [];
    const over: string[] = [];
    // Least recently used first: a busy client must not delay the reports of others for ever.
    for (const of of this.#counted.rkeys()) {
      const counted = this.#counted.peek(of) as Counted;
      counted.use = useNow(counted.use, now, this.policy.windowMs);
      if (counted.untold >= least && reports.length < MAX_REPORTS) {
        reports.push({ of, window: counted.use.window, amount: counted.untold });
        counted.untold = 0;
      }
      if (counted.use.current + counted.use.previous === 0) over.push(of);
    }
    for (const of of over) this.#counted.delete(of);
    return reports;
  }

  #of(of: string, now: number): Counted {
    const { use, untold } = this.#counted.get(of) ?? { use: UNUSED, untold: 0 };
    const counted = { use: useNow(use, now, this.policy.windowMs), untold };
    this.#counted.set(of, counted);
    return counted;
  }
}
