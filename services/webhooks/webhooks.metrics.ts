import { Counter, Gauge, Histogram, type Metric } from "prom-client";
import { metricsRegistry } from "../../mixins/observability/metrics.ts";
import { DISABLED_REASONS, type DisabledReason } from "../contracts/webhooks.contract.ts";
import type { AttemptKind, QueuePorts } from "./protocol/ports.ts";
import type { WebhooksStore } from "./store/webhooks.store.ts";

/** Empty: only a process that runs the service exports the metrics (`exportWebhookMetrics`). */
const registers: [] = [];

const attempts = new Histogram({
  name: "guildcal_webhook_attempt_duration_seconds",
  help: "Time of requests to the guilds' webhooks, by outcome",
  labelNames: ["outcome"],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
});

const disabled = new Counter({
  name: "guildcal_webhooks_disabled_total",
  help: "Webhooks that this process disabled, by reason",
  labelNames: ["reason"],
  registers,
});

const errors = new Counter({
  name: "guildcal_webhook_errors_total",
  help: "Operations of the webhooks service that failed and are retried, by operation",
  labelNames: ["operation"],
  registers,
});

const overdue = new Gauge({
  name: "guildcal_webhooks_overdue",
  help: "Webhooks of all replicas whose changes or deliveries have waited for over a minute, counted up to 10000",
  registers,
});

const ALL_METRICS: readonly Metric[] = [attempts, disabled, errors, overdue];
let isExported = false;

/** Exports the metrics from this process; further calls do nothing. */
export function exportWebhookMetrics(): void {
  if (isExported) return;
  isExported = true;
  for (const metric of ALL_METRICS) metricsRegistry.registerMetric(metric);
}

// Every label combination exists from the start: a counter that appears with its first event shows no increase.
for (const outcome of ["delivered", "retried", "failed"] satisfies AttemptKind[]) attempts.zero({ outcome });
for (const reason of DISABLED_REASONS) disabled.inc({ reason }, 0);
for (const operation of ["read changes", "continue from the position", "visit", "find queues", "wake queues"]) {
  errors.inc({ operation }, 0);
}

export function countAttempt(outcome: AttemptKind, seconds: number): void {
  attempts.observe({ outcome }, Math.max(0, seconds));
}

export function countDisabled(reason: DisabledReason): void {
  disabled.inc({ reason });
}

/** @param operation - The operation that failed; a fixed text of the protocol. */
export function countError(operation: string): void {
  errors.inc({ operation });
}

const MAX_COUNTED = 10_000;
const OVERDUE_MS = 60_000;
const INTERVAL_MS = 5_000;

/** Sets the gauge at once and every 5 seconds, until the returned function is called. */
export function startOverdueGauge(store: Pick<WebhooksStore, "countOverdue">, clock: QueuePorts["clock"]): () => void {
  // While the database is out of reach, which is reported elsewhere, the gauge keeps its value.
  const update = () =>
    void store.countOverdue(clock.now() - OVERDUE_MS, MAX_COUNTED).then(
      (count) => overdue.set(count),
      () => undefined,
    );
  update();
  const timer = setInterval(update, INTERVAL_MS);
  return () => clearInterval(timer);
}
