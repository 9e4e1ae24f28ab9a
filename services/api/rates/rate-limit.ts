import { LRUCache } from "lru-cache";
import { addUse, msUntilFree, NO_USE, amountUsed, currentUse, type WindowUse } from "../domain/sliding-window.ts";

/** A rate limit, with its name in the headers. */
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
  /** Time until the window ends. */
  readonly resetMs: number;
  /** Time until the limit allows one more use; 0 if it allowed this one. */
  readonly waitMs: number;
}

/** Uses of a limit by one client, which a replica broadcasts once. */
export interface RateReport {
  /** The client: a key, a guild or an address. */
  readonly of: string;
  readonly window: number;
  readonly amount: number;
}

/** Counted clients; over the limit, the least recently used one is forgotten. */
const MAX_CLIENTS = 50_000;
/** Share of the limit that a client must have used since its last report, before its uses are broadcast. */
const MIN_REPORTED_SHARE = 1 / 50;

/** Reports of one limit in a broadcast, whose size is limited. Further ones follow in the next broadcast. */
export const MAX_REPORTS = 500;

interface ClientCount {
  use: WindowUse;
  unreported: number;
}

/** Counts the uses of one limit for each client. A refused request is not counted: waiting for `Retry-After` is enough. */
export class RateLimit {
  readonly policy: RatePolicy;
  readonly #counts = new LRUCache<string, ClientCount>({ max: MAX_CLIENTS });

  constructor(policy: RatePolicy) {
    this.policy = policy;
  }

  /** Counts one use if the limit allows it. */
  take(client: string, now: number): RateStanding {
    const standing = this.peek(client, now);
    if (standing.waitMs > 0 || this.policy.limit === 0) return standing;
    const count = this.#countOf(client, now);
    count.use = addUse(count.use, count.use.window, 1);
    count.unreported += 1;
    return { ...standing, remaining: Math.max(0, standing.remaining - 1) };
  }

  /** The state of a client; counts nothing. */
  peek(client: string, now: number): RateStanding {
    const { policy } = this;
    const { limit, windowMs } = policy;
    const resetMs = windowMs - (now % windowMs);
    if (limit === 0) return { policy, remaining: Infinity, resetMs, waitMs: 0 };
    const { use } = this.#counts.peek(client) ?? { use: NO_USE };
    const current = currentUse(use, now, windowMs);
    const remaining = Math.max(0, Math.floor(limit - amountUsed(current, now, windowMs)));
    return { policy, remaining, resetMs, waitMs: msUntilFree(current, limit, now, windowMs) };
  }

  /** Adds the uses that another gateway has admitted. */
  addReport({ of, window, amount }: RateReport, now: number): void {
    const count = this.#countOf(of, now);
    count.use = addUse(count.use, window, amount);
  }

  /** Takes the uses since the last broadcast. */
  takeReports(now: number): RateReport[] {
    const minAmount = Math.max(1, this.policy.limit * MIN_REPORTED_SHARE);
    const reports: RateReport[] = [];
    const expired: string[] = [];
    // Least recently used first: a busy client must not delay the reports of others for ever.
    for (const of of this.#counts.rkeys()) {
      const count = this.#counts.peek(of) as ClientCount;
      count.use = currentUse(count.use, now, this.policy.windowMs);
      if (count.unreported >= minAmount && reports.length < MAX_REPORTS) {
        reports.push({ of, window: count.use.window, amount: count.unreported });
        count.unreported = 0;
      }
      if (count.use.current + count.use.previous === 0) expired.push(of);
    }
    for (const client of expired) this.#counts.delete(client);
    return reports;
  }

  #countOf(client: string, now: number): ClientCount {
    const { use, unreported } = this.#counts.get(client) ?? { use: NO_USE, unreported: 0 };
    const count = { use: currentUse(use, now, this.policy.windowMs), unreported };
    this.#counts.set(client, count);
    return count;
  }
}
