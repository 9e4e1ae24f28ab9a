import type { EpochMs } from "../../services/contracts/ids.ts";

/**
 * The database server's clock, mapped on the process's monotonic one: a step of the node's wall clock moves nothing.
 *
 * The server read its clock before the answer came, so at that moment its time is at least what the answer says: the
 * map never runs ahead, and lags by no more than the fastest of the last answers took.
 */
export interface DatabaseClock {
  now(): EpochMs;
  /** Asks the server once; at start and every few seconds. */
  sample(): Promise<void>;
}

/** Samples that are remembered. The best of them counts, so that one slow answer does not set the clock back. */
const MAX_SAMPLES = 8;
/**
 * A difference that no slow answer explains, and no drift between two clocks within the remembered samples: the
 * server's own clock was stepped back, and what was known is void.
 */
const STEP_MS = 100;

/**
 * @param readServer - The server's time now.
 * @param monotonic - Milliseconds on a clock that nobody steps.
 */
export function newDatabaseClock(readServer: () => Promise<EpochMs>, monotonic: () => number): DatabaseClock {
  let offsets: number[] = [];
  return {
    now() {
      if (offsets.length === 0) throw new Error("the database clock was read before its first sample");
      return Math.floor(monotonic() + Math.max(...offsets));
    },
    async sample() {
      const askedAt = monotonic();
      const serverTime = await readServer();
      const answeredAt = monotonic();
      const offset = serverTime - answeredAt;
      const stepped = offsets.some((known) => known - offset > STEP_MS + (answeredAt - askedAt));
      offsets = stepped ? [offset] : [...offsets.slice(1 - MAX_SAMPLES), offset];
    },
  };
}
