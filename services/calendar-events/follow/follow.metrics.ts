import { Counter, Gauge, type Metric } from "prom-client";
import { metricsRegistry } from "../../../mixins/observability/metrics.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import type { FollowReadingsStore } from "../store/follow-readings.store.ts";
import { READ_OUTCOMES, type ReadOutcome } from "./visit-follow.ts";

/** Empty: only a process that runs the service exports the metrics (`exportFollowMetrics`). */
const registers: [] = [];

const reads = new Counter({
  name: "guildcal_follow_reads_total",
  help: "Reads of addresses that calendars follow, by outcome",
  labelNames: ["outcome"],
  registers,
});

const lastSuccess = new Gauge({
  name: "guildcal_follow_last_success_timestamp_seconds",
  help: "When this process last read an address successfully, in Unix seconds; 0 before the first time",
  registers,
});

const disabled = new Counter({
  name: "guildcal_follows_disabled_total",
  help: "Followed calendars that this process disabled after a week of failures",
  registers,
});

const overdue = new Gauge({
  name: "guildcal_follows_overdue",
  help: "Followed calendars of all replicas that should have been read over five minutes ago, counted up to 10000",
  registers,
});

const ALL_METRICS: readonly Metric[] = [reads, lastSuccess, disabled, overdue];
let isExported = false;

/** Exports the metrics from this process; further calls do nothing. */
export function exportFollowMetrics(): void {
  if (isExported) return;
  isExported = true;
  for (const metric of ALL_METRICS) metricsRegistry.registerMetric(metric);
}

// Every outcome exists from the start: a counter that appears with its first event shows no increase.
for (const outcome of READ_OUTCOMES) reads.inc({ outcome }, 0);

export function countRead(outcome: ReadOutcome): void {
  reads.inc({ outcome });
  if (outcome !== "failed") lastSuccess.setToCurrentTime();
}

export function countDisabled(): void {
  disabled.inc();
}

const MAX_COUNTED = 10_000;
const OVERDUE_MS = 300_000;

/** Sets the gauge. While the database is out of reach, which is reported elsewhere, it keeps its value. */
export async function updateOverdue(readings: Pick<FollowReadingsStore, "countOverdue">, now: EpochMs): Promise<void> {
  const count = await readings.countOverdue(now - OVERDUE_MS, MAX_COUNTED).catch(() => undefined);
  if (count !== undefined) overdue.set(count);
}
