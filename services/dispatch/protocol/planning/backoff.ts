import type { GuildId } from "../../../contracts/ids.ts";
import { retryDelay } from "../../domain/post/retry-delay.ts";
import type { Ports } from "../ports.ts";

/** Exponential backoff of guilds whose plans fail, for each guild. */
export interface Backoff {
  readonly succeeded: (guildId: GuildId) => void;
  /** Returns the milliseconds until the guild's next plan. */
  readonly failed: (guildId: GuildId) => number;
  /** Whether the guild's plan has failed repeatedly while plans of other guilds succeeded. */
  readonly failsAlone: (guildId: GuildId) => boolean;
}

interface Failures {
  /** Failures with a success of another guild before them. An outage fails for all guilds and does not count. */
  readonly own: number;
  /** Number of successful plans of all guilds until the last failure. */
  readonly successes: number;
}

const MAX_DELAY_MS = 64_000;
const MIN_FAILURES_ALONE = 2;

export function newBackoff({ random }: Pick<Ports, "random">): Backoff {
  const failures = new Map<GuildId, Failures>();
  let successes = 0;
  return {
    succeeded(guildId) {
      successes += 1;
      failures.delete(guildId);
    },
    failed(guildId) {
      const before = failures.get(guildId);
      const own = (before?.own ?? 0) + (before !== undefined && successes > before.successes ? 1 : 0);
      failures.set(guildId, { own, successes });
      return retryDelay(own + 1, random.fraction(), { maxMs: MAX_DELAY_MS });
    },
    failsAlone: (guildId) => (failures.get(guildId)?.own ?? 0) >= MIN_FAILURES_ALONE,
  };
}
