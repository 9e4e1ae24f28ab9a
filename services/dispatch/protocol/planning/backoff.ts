import type { GuildId } from "../../../contracts/ids.ts";
import type { Ports } from "../ports.ts";

/** How long guilds wait whose plans fail, each for itself. */
export interface Backoff {
  readonly succeeded: (guildId: GuildId) => void;
  /** Answers for how many milliseconds the guild is to wait. */
  readonly failed: (guildId: GuildId) => number;
  readonly hasFailed: (guildId: GuildId) => boolean;
  /** Whether it fails while others succeed, and not for the first time. */
  readonly isOnItsOwn: (guildId: GuildId) => boolean;
}

interface Failures {
  /** Those between which another guild was planned: an outage is nobody's own. */
  readonly own: number;
  /** How many plans of all guilds had succeeded by the last one. */
  readonly successes: number;
}

const FIRST_MS = 500;
/** 64 s. */
const MAX_DOUBLINGS = 7;
const ON_ITS_OWN = 2;

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
      return FIRST_MS * 2 ** Math.min(own, MAX_DOUBLINGS) * (0.5 + random.fraction() / 2);
    },
    hasFailed: (guildId) => failures.has(guildId),
    isOnItsOwn: (guildId) => (failures.get(guildId)?.own ?? 0) >= ON_ITS_OWN,
  };
}
