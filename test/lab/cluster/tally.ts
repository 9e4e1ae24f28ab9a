/** A client may repeat a read whose response was lost, and must not repeat a write. */
export type Purpose = "read" | "write";

/** The outcome of a request, for its client. */
export interface Outcome {
  readonly purpose: Purpose;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly code?: string | undefined;
  /** Instant and duration of the request, by the monotonic clock of the process. */
  readonly sentAt: number;
  readonly ms: number;
}

/** Counts of requests, failures by kind, and latencies. */
export interface Tally {
  readonly requests: number;
  readonly failedReads: number;
  readonly failedWrites: number;
  /** Number of failures by kind, such as `write 503 OUTCOME_UNKNOWN`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Number of reads that the client sent again after a lost connection. */
  readonly repeated: number;
  readonly p50Ms: number;
  readonly worstMs: number;
  /** Time from the start of the first request that failed or took longer than a second to the end of the last one. */
  readonly disturbedMs: number;
}

const SLOW_MS = 1_000;

/** Whether the request failed or took longer than a second. */
export function isDisturbed({ status, ms }: Outcome): boolean {
  return status !== 200 || ms > SLOW_MS;
}

export function tallyOf(outcomes: readonly Outcome[], repeated: number): Tally {
  const failed = outcomes.filter(({ status }) => status !== 200);
  const failures: Record<string, number> = {};
  for (const { purpose, status, code } of failed) {
    const kind = [purpose, status, code].filter((word) => word !== undefined).join(" ");
    failures[kind] = (failures[kind] ?? 0) + 1;
  }
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b);
  const disturbed = outcomes.filter(isDisturbed);
  const from = Math.min(...disturbed.map(({ sentAt }) => sentAt));
  const to = Math.max(...disturbed.map(({ sentAt, ms }) => sentAt + ms));
  return {
    requests: outcomes.length,
    failedReads: failed.filter(({ purpose }) => purpose === "read").length,
    failedWrites: failed.filter(({ purpose }) => purpose === "write").length,
    failures,
    repeated,
    p50Ms: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    worstMs: Math.round(times.at(-1) ?? 0),
    disturbedMs: disturbed.length === 0 ? 0 : Math.round(to - from),
  };
}
