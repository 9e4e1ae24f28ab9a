/** Whether a request changes anything: a read may be sent again when its answer was lost. */
export type Purpose = "read" | "write";

/** How one request went, as its client sees it. */
export interface Outcome {
  readonly purpose: Purpose;
  /** 0 where no HTTP answer came. */
  readonly status: number;
  readonly code?: string | undefined;
  /** When it was sent, and how long it took; by the process's monotonic clock. */
  readonly sentAt: number;
  readonly ms: number;
}

/** Requests, failures by kind, and the worst latency of them. */
export interface Tally {
  readonly requests: number;
  readonly failedReads: number;
  readonly failedWrites: number;
  /** Such as `write 503 OUTCOME_UNKNOWN`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Reads that the client sent again because the connection was lost. */
  readonly repeated: number;
  readonly p50Ms: number;
  readonly worstMs: number;
  /** From when the first request was sent that failed or took longer than a second, to the end of the last. */
  readonly disturbedMs: number;
}

const SLOW_MS = 1_000;

export function tallyOf(outcomes: readonly Outcome[], repeated: number): Tally {
  const failed = outcomes.filter(({ status }) => status !== 200);
  const failures: Record<string, number> = {};
  for (const { purpose, status, code } of failed) {
    const kind = [purpose, status, code].filter((word) => word !== undefined).join(" ");
    failures[kind] = (failures[kind] ?? 0) + 1;
  }
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b);
  const disturbed = outcomes.filter(({ status, ms }) => status !== 200 || ms > SLOW_MS);
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
