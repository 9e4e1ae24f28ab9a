import type { EpochMs } from "../../contracts/ids.ts";
import type { Outage } from "../domain/post/wait.ts";
import type { Life } from "./lifecycle.ts";
import type { Ports } from "./ports.ts";
import type { Beats } from "./post-store.ts";
import type { Timing } from "./timing.ts";

/**
 * Tells the database that dispatch runs, and learns from it when no replica did: the reason of what became late
 * meanwhile. All replicas beat on one document, so that it has a gap when all are gone, and only then.
 */
export interface Heartbeat {
  /** Resolves once the outages before are known, or the database takes too long to say so. */
  start(): Promise<void>;
  /** The latest stretches in which no replica ran or reached the database, or in which this process stood still. */
  outages(): readonly Outage[];
  /** When the first replica of all began; undefined while the database has not said so. */
  firstAt(): EpochMs | undefined;
}

const MAX_STALLS = 10;

export function newHeartbeat(
  { clock, store }: Pick<Ports, "clock" | "store">,
  { heartbeatMs, heartbeatGapMs }: Pick<Timing, "heartbeatMs" | "heartbeatGapMs">,
  life: Life,
): Heartbeat {
  /** Since when this process has run without a pause. */
  let awakeSince: EpochMs = 0;
  let awakeAt: EpochMs = 0;
  let shared: Beats | undefined;
  let stalls: readonly Outage[] = [];
  let isBeating = false;

  /** A timer that comes much too late says that the process was frozen, or had no time. */
  function noteStall(): void {
    const now = clock.now();
    if (now - awakeAt > heartbeatGapMs) {
      stalls = [...stalls, { cause: "PROCESS_STALLED", from: awakeAt, until: now } as const].slice(-MAX_STALLS);
      awakeSince = now;
    }
    awakeAt = now;
  }

  async function beat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    noteStall();
    try {
      shared = await store.beat(awakeSince, heartbeatGapMs);
    } finally {
      isBeating = false;
    }
  }

  return {
    async start() {
      awakeSince = clock.now();
      awakeAt = awakeSince;
      const first = beat().catch(() => undefined);
      life.repeat("watch own time", heartbeatMs, () => Promise.resolve(noteStall()));
      life.repeat("heartbeat", heartbeatMs, beat);
      await Promise.race([first, life.sleep(heartbeatMs)]);
    },
    outages: () => [...(shared?.outages ?? []), ...stalls],
    firstAt: () => shared?.firstAt,
  };
}
