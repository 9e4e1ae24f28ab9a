import { randomUUID } from "node:crypto";
import { broadcastEvent } from "../../contracts/contract.ts";
import { integer, text } from "../../contracts/field-rules.ts";
import { MAX_REPORTS, RateLimit, type RateReport } from "./rate-limit.ts";

/** Requests per minute; 0 means no limit. */
export interface RateSettings {
  readonly perKey: number;
  readonly perGuild: number;
  readonly failedKeysPerAddress: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
}

export const NO_LIMITS: RateSettings = { perKey: 0, perGuild: 0, failedKeysPerAddress: 0, trustedProxies: [] };

export interface RatesUsed {
  /** Id of the sender: a gateway ignores its own broadcast. */
  readonly from: string;
  readonly reports: Readonly<Record<string, readonly RateReport[]>>;
}

const reportsRule = {
  type: "array",
  optional: true,
  max: MAX_REPORTS,
  items: {
    type: "object",
    strict: true,
    props: { of: text(100), window: integer(0, Number.MAX_SAFE_INTEGER), amount: integer(1, 1_000_000_000) },
  },
} as const;
/** Sent by each gateway to the others. A lost broadcast lets a client exceed a limit slightly. */
export const ratesUsed = broadcastEvent<RatesUsed>({
  name: "api.rates-used",
  payload: {
    from: text(36),
    reports: { type: "object", strict: true, props: { key: reportsRule, guild: reportsRule, failures: reportsRule } },
  },
});

/** Interval between two broadcasts of the counts. */
export const BROADCAST_INTERVAL_MS = 200;

const WINDOW_MS = 60_000;

/**
 * Rate limits over all replicas of the gateway. Each replica decides from its own count and the counts that the others have
 * broadcast: no request waits for another process. The requests that the others admit between two broadcasts can exceed a
 * limit.
 */
export class GatewayRates {
  readonly keys: RateLimit;
  readonly guilds: RateLimit;
  readonly failures: RateLimit;
  readonly #id = randomUUID();

  constructor({ perKey, perGuild, failedKeysPerAddress }: RateSettings) {
    this.keys = new RateLimit({ name: "key", limit: perKey, windowMs: WINDOW_MS });
    this.guilds = new RateLimit({ name: "guild", limit: perGuild, windowMs: WINDOW_MS });
    this.failures = new RateLimit({ name: "failures", limit: failedKeysPerAddress, windowMs: WINDOW_MS });
  }

  /** Takes the counts to broadcast now; undefined if there are none. */
  takeReports(now: number): RatesUsed | undefined {
    const reports = this.#limits().map((limit) => [limit.policy.name, limit.takeReports(now)] as const);
    const nonEmpty = reports.filter(([, each]) => each.length > 0);
    return nonEmpty.length === 0 ? undefined : { from: this.#id, reports: Object.fromEntries(nonEmpty) };
  }

  /** Adds the counts of another gateway. */
  addReports({ from, reports }: RatesUsed, now: number): void {
    if (from === this.#id) return;
    for (const limit of this.#limits()) for (const each of reports[limit.policy.name] ?? []) limit.addReport(each, now);
  }

  #limits(): readonly RateLimit[] {
    return [this.keys, this.guilds, this.failures];
  }
}
