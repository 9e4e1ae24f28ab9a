import { NOTHING_SET, type Ports } from "./ports.ts";

/** Whether this replica is still to begin new work, and how it waits. */
export interface Life {
  readonly stopping: boolean;
  /** Resolves after `ms`, or at once when it stops. */
  sleep(ms: number): Promise<void>;
  /** Does the work again and again until it stops; a failure is reported and changes nothing else. */
  repeat(what: string, everyMs: number, work: () => Promise<void>): void;
  stop(): void;
}

export function newLife({ timers, reports }: Pick<Ports, "timers" | "reports">): Life {
  const sleepers = new Set<() => void>();
  let stopping = false;

  function sleep(ms: number): Promise<void> {
    if (stopping) return Promise.resolve();
    return new Promise((resolve) => {
      let cancel = NOTHING_SET;
      const wake = () => {
        sleepers.delete(wake);
        cancel();
        resolve();
      };
      sleepers.add(wake);
      cancel = timers.after(ms, wake);
    });
  }

  async function keepOn(what: string, everyMs: number, work: () => Promise<void>): Promise<void> {
    let failures = 0;
    for (;;) {
      try {
        await work();
        failures = 0;
      } catch (error) {
        failures += 1;
        // The first of a row, and then ever fewer: an outage of an hour is some lines, not thousands.
        if (Number.isInteger(Math.log2(failures))) reports.trouble(what, { error, failures });
      }
      await sleep(everyMs);
      if (stopping) return;
    }
  }

  return {
    get stopping() {
      return stopping;
    },
    sleep,
    repeat: (what, everyMs, work) => void keepOn(what, everyMs, work),
    stop() {
      stopping = true;
      for (const wake of sleepers) wake();
    },
  };
}
