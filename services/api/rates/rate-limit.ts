import { LRUCache } from "lru-cache";
import { moreUse, msUntilFree, UNUSED, usedOf, useNow, type WindowUse } from "../domain/sliding-window.ts";

/** What an installation allows, and under which name clients are told. */
export interface RatePolicy {
  readonly name: string;
  /** Within the window; 0 sets no limit. */
  readonly limit: number;
  readonly windowMs: number;
}

/** Where somebody stands with a limit. */
export interface RateStanding {
  readonly policy: RatePolicy;
  readonly remaining: number;
  /** Until the window's end. */
  readonly resetMs: number;
  /** Until one more is within the limit; 0 when this one was. */
  readonly waitMs: number;
}

/** What was used of a limit here and is not yet told to others. */
export interface RateReport {
  readonly of: string;
  readonly window: number;
  readonly amount: number;
}

/** As many who are counted at once; beyond it the one who was quiet for longest is forgotten. */
const MAX_COUNTED = 50_000;
/** A use that is less than this share of the limit is not worth a message. */
const TOLD_SHARE = 1 / 50;

/** Told at a time of one limit: a message is bounded. The others are told the next time. */
export const MAX_REPORTS = 500;

interface Counted {
  use: WindowUse;
  untold: number;
}

/** Counts what each somebody uses of one limit. What was refused is not counted: waiting as told is enough. */
export class RateLimit {
  readonly policy: RatePolicy;
  readonly #counted = new LRUCache<string, Counted>({ max: MAX_COUNTED });

  constructor(policy: RatePolicy) {
    this.policy = policy;
  }

  /** Uses one, where the limit allows it. */
  take(of: string, now: number): RateStanding {
    const standing = this.look(of, now);
    if (standing.waitMs > 0 || this.policy.limit === 0) return standing;
    const counted = this.#of(of, now);
    counted.use = moreUse(counted.use, counted.use.window, 1);
    counted.untold += 1;
    return { ...standing, remaining: Math.max(0, standing.remaining - 1) };
  }

  /** Where somebody stands, without using any. */
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

  /** What another gateway has let through. */
  add({ of, window, amount }: RateReport, now: number): void {
    const counted = this.#of(of, now);
    counted.use = moreUse(counted.use, window, amount);
  }

  /** What others should hear of since the last time. */
  reports(now: number): RateReport[] {
    const least = Math.max(1, this.policy.limit * TOLD_SHARE);
    const reports: RateReport[] = [];
    const over: string[] = [];
    // The least lately used come first, so that none of them waits behind the busiest for ever.
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
