import { Counter, type CounterConfiguration, type LabelValues } from "prom-client";

/** By then every Prometheus has scraped a new process: the interval is 15 s (pod-monitor.yaml). */
const FIRST_SCRAPES_SECONDS = 60;

/** A counter whose zeros are scraped before its counts. */
export interface CounterFromZero<Label extends string> {
  /** To be registered. */
  readonly metric: Counter<Label>;
  inc(labels: LabelValues<Label>): void;
}

/**
 * Exports what is counted in the first minute of the process after this minute. `increase()` and `rate()` begin at the first
 * value that was scraped, so that they would not see what a process does right after its start.
 *
 * @param zeros - The labels of the counts that are exported from the start.
 * @param uptime - Of the process, in seconds.
 */
export function newCounterFromZero<Label extends string>(
  config: Omit<CounterConfiguration<Label>, "collect" | "registers">,
  zeros: readonly LabelValues<Label>[],
  uptime: () => number = () => process.uptime(),
): CounterFromZero<Label> {
  /** Counts that are not exported yet, by the text of their labels. */
  const held = new Map<string, { readonly labels: LabelValues<Label>; readonly count: number }>();
  const areScraped = () => uptime() >= FIRST_SCRAPES_SECONDS;

  function exportHeld(): void {
    for (const { labels, count } of held.values()) metric.inc(labels, count);
    held.clear();
  }

  const metric = new Counter<Label>({
    ...config,
    registers: [],
    collect() {
      if (areScraped()) exportHeld();
    },
  });
  for (const labels of zeros) metric.inc(labels, 0);
  return {
    metric,
    inc(labels) {
      if (areScraped()) return metric.inc(labels);
      const key = JSON.stringify(labels);
      held.set(key, { labels, count: (held.get(key)?.count ?? 0) + 1 });
    },
  };
}
