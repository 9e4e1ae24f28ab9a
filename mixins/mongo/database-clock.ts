import type { EpochMs } from "../../services/contracts/ids.ts";

/**
 * The clock of the database server, mapped to the monotonic clock of the process: a step of the machine's wall clock
 * does not affect it.
 *
 * The server reads its clock before it responds, so when the response arrives its time is at least the returned one. The
 * mapped clock never runs ahead, and lags by no more than the round trip of the fastest of the last samples.
 */
export interface DatabaseClock {
  now(): EpochMs;
  /** Reads the server's clock once. The owner calls it at start and every few seconds. */
  sample(): Promise<void>;
}

/** Number of stored samples. The best of them counts, so a slow response does not set the clock back. */
const MAX_SAMPLES = 8;
/**
 * A difference that no slow response and no drift between the two clocks explains: the server's own clock was stepped
 * back, and the older samples are void.
 */
const STEP_MS = 100;

/**
 * @param readServer - The server's time now.
 * @param monotonic - Milliseconds on a clock that is never stepped.
 */
export function newDatabaseClock(readServer: () => Promise<EpochMs>, monotonic: () => number): DatabaseClock {
  let offsets: number[] = [];
  return {
    now() {
      if (offsets.length === 0) throw new Error("the database clock was read before its first sample");
      return Math.floor(monotonic() + Math.max(...offsets));
    },
    async sample() {
      const sentAt = monotonic();
      const serverTime = await readServer();
      const receivedAt = monotonic();
      const offset = serverTime - receivedAt;
      const stepped = offsets.some((known) => known - offset > STEP_MS + (receivedAt - sentAt));
      offsets = stepped ? [offset] : [...offsets.slice(1 - MAX_SAMPLES), offset];
    },
  };
}

/**
 * The instant on the monotonic clock at which the server's clock shows `time`. It is never too late, since the server reads
 * its clock after the request was sent, and too early by no more than the round trip.
 */
export async function monotonicInstantOf(
  time: EpochMs,
  readServer: () => Promise<EpochMs>,
  monotonic: () => number,
): Promise<number> {
  const sentAt = monotonic();
  return sentAt + time - (await readServer());
}
