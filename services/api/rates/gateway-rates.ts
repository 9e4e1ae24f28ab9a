import { randomUUID } from "node:crypto";
import { broadcastEvent } from "../../contracts/contract.ts";
import { integer, text } from "../../contracts/field-rules.ts";
import { MAX_REPORTS, RateLimit, type RateReport } from "./rate-limit.ts";

/** Requests a minute; 0 sets no limit. */
export interface RateSettings {
  readonly perKey: number;
  readonly perGuild: number;
  readonly failedKeysPerAddress: number;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

export const NO_LIMITS: RateSettings = { perKey: 0, perGuild: 0, failedKeysPerAddress: 0, trustedProxies: [] };

export interface RatesUsed {
  /** Which gateway tells: it hears its own broadcast, too. */
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
/** Broadcast by each gateway to its replicas; at most once, so a lost one lets somebody go a little over a limit. */
export const ratesUsed = broadcastEvent<RatesUsed>({
  name: "api.rates-used",
  payload: {
    from: text(36),
    reports: { type: "object", strict: true, props: { key: reportsRule, guild: reportsRule, failures: reportsRule } },
  },
});

/** How often gateways tell each other what they let through. */
export const TELL_EVERY_MS = 200;

const WINDOW_MS = 60_000;

/**
 * The limits of all replicas together. Each decides by itself, at once, on what it has let through and what the others
 * have told: no request waits for another process. Between two tellings a limit can be passed by what the others let
 * through in that time.
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

  /** What the others should hear now; undefined for nothing. */
  used(now: number): RatesUsed | undefined {
    const reports = this.#limits().map((limit) => [limit.policy.name, limit.reports(now)] as const);
    const some = reports.filter(([, each]) => each.length > 0);
    return some.length === 0 ? undefined : { from: this.#id, reports: Object.fromEntries(some) };
  }

  /** Takes in what another gateway tells. */
  hear({ from, reports }: RatesUsed, now: number): void {
    if (from === this.#id) return;
    for (const limit of this.#limits()) for (const each of reports[limit.policy.name] ?? []) limit.add(each, now);
  }

  #limits(): readonly RateLimit[] {
    return [this.keys, this.guilds, this.failures];
  }
}
