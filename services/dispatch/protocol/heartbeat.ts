import type { EpochMs } from "../../contracts/ids.ts";
import type { Outage } from "../domain/post/wait.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Ports } from "./ports.ts";
import type { Heartbeats } from "./post-store.ts";
import type { Timing } from "./timing.ts";

/**
 * Records in the database that dispatch runs, and reads when no replica did: the reason of posts that became late
 * meanwhile. All replicas write to one document, so it has a gap only if no replica ran.
 */
export interface Heartbeat {
  /** Resolves once earlier outages are known, or after one interval without a response of the database. */
  start(): Promise<void>;
  /** The latest intervals in which no replica ran or reached the database, or in which this process was stalled. */
  outages(): readonly Outage[];
  /** When the first replica ever started; undefined until the database has responded. */
  firstAt(): EpochMs | undefined;
}

const MAX_STALLS = 10;

export function newHeartbeat(
  { clock, store }: Pick<Ports, "clock" | "store">,
  { heartbeatMs, heartbeatGapMs }: Pick<Timing, "heartbeatMs" | "heartbeatGapMs">,
  lifecycle: Lifecycle,
): Heartbeat {
  /** Since when this process has run without a stall. */
  let awakeSince: EpochMs = 0;
  let awakeAt: EpochMs = 0;
  let stored: Heartbeats | undefined;
  let stalls: readonly Outage[] = [];
  let isWriting = false;

  /** A timer that fires much too late shows that the process was frozen or had no processor time. */
  function detectStall(): void {
    const now = clock.now();
    if (now - awakeAt > heartbeatGapMs) {
      stalls = [...stalls, { cause: "PROCESS_STALLED", from: awakeAt, until: now } as const].slice(-MAX_STALLS);
      awakeSince = now;
    }
    awakeAt = now;
  }

  async function beat(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    detectStall();
    try {
      stored = await store.recordHeartbeat(awakeSince, heartbeatGapMs);
    } finally {
      isWriting = false;
    }
  }

  return {
    async start() {
      awakeSince = clock.now();
      awakeAt = awakeSince;
      const first = beat().catch(() => undefined);
      lifecycle.repeat("detect stalls", heartbeatMs, () => Promise.resolve(detectStall()));
      lifecycle.repeat("heartbeat", heartbeatMs, beat);
      await Promise.race([first, lifecycle.sleep(heartbeatMs)]);
    },
    outages: () => [...(stored?.outages ?? []), ...stalls],
    firstAt: () => stored?.firstAt,
  };
}
