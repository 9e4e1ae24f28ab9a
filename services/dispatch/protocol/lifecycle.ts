import { NO_TIMER, type Ports } from "./ports.ts";

/** Start and stop of a replica's background work. */
export interface Lifecycle {
  readonly isStopping: boolean;
  /** Resolves after `ms`, or at once when the replica stops. */
  sleep(ms: number): Promise<void>;
  /** Repeats the work until the replica stops. A failure is reported, and the next repetition follows. */
  repeat(what: string, everyMs: number, work: () => Promise<void>): void;
  stop(): void;
}

export function newLifecycle({ timers, reports }: Pick<Ports, "timers" | "reports">): Lifecycle {
  const sleepers = new Set<() => void>();
  let isStopping = false;

  function sleep(ms: number): Promise<void> {
    if (isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      let cancel = NO_TIMER;
      const wake = () => {
        sleepers.delete(wake);
        cancel();
        resolve();
      };
      sleepers.add(wake);
      cancel = timers.after(ms, wake);
    });
  }

  async function runRepeatedly(what: string, everyMs: number, work: () => Promise<void>): Promise<void> {
    let failures = 0;
    for (;;) {
      try {
        await work();
        failures = 0;
      } catch (error) {
        failures += 1;
        // Only failures 1, 2, 4, 8 … of a row are reported: an outage of an hour is some lines, not thousands.
        if (Number.isInteger(Math.log2(failures))) reports.operationFailed(what, { error, failures });
      }
      await sleep(everyMs);
      if (isStopping) return;
    }
  }

  return {
    get isStopping() {
      return isStopping;
    },
    sleep,
    repeat: (what, everyMs, work) => void runRepeatedly(what, everyMs, work),
    stop() {
      isStopping = true;
      for (const wake of sleepers) wake();
    },
  };
}
