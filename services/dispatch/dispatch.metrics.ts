import { Counter, Gauge, Histogram, type Metric } from "prom-client";
import { newCounterFromZero } from "../../mixins/observability/counter-from-zero.ts";
import { metricsRegistry } from "../../mixins/observability/metrics.ts";
import { LATE_CODES, REASON_CODES } from "../contracts/dispatch.contract.ts";
import type { Post } from "./domain/post/post.ts";
import { reasonCode } from "./domain/post/reason-code.ts";
import { NOTIFICATION_METRICS } from "./notifications/notification.metrics.ts";
import type { EpochMs } from "../contracts/ids.ts";
import type { PostsStore } from "./store/posts.store.ts";
import type { Dispatcher } from "./protocol/dispatcher.ts";
import type { FeedProgress } from "./protocol/planning/change-feed-consumer.ts";
import type { Clock } from "./protocol/ports.ts";
import type { Sink } from "./sinks/sink.ts";
import type { UnreadChanges } from "./adapters/unread-changes.ts";

/** Empty: only a process that runs dispatch exports the metrics (`exportDispatchMetrics`). Others would show zeros. */
const registers: [] = [];

/** Labels have few values: states, sinks, reason codes and kinds of outcomes; never an id. */
const settled = newCounterFromZero(
  {
    name: "guildcal_posts_settled_total",
    help: "Posts that this process settled, by outcome and reason code; for sent posts the reason of a delay over 5 s. Posts that are settled in the first minute of the process are counted after it",
    labelNames: ["state", "reason"],
  },
  [
    { state: "sent", reason: "" },
    ...LATE_CODES.map((reason) => ({ state: "sent", reason })),
    ...["missed", "failed", "unknown"].flatMap((state) => REASON_CODES.map((reason) => ({ state, reason }))),
  ],
);

const planned = new Counter({
  name: "guildcal_posts_planned_total",
  help: "Posts that this process planned",
  registers,
});

const lateness = new Histogram({
  name: "guildcal_post_lateness_seconds",
  help: "Time from a post's due instant to its acknowledged send, by sink",
  labelNames: ["sink"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900],
  registers,
});

const sinkSeconds = new Histogram({
  name: "guildcal_sink_duration_seconds",
  help: "Time that a sink took to send one part, by sink and outcome",
  labelNames: ["sink", "outcome"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers,
});

const waits = new Histogram({
  name: "guildcal_post_wait_seconds",
  help: "Time that a due post waited in the queue, or has to wait for its receiver's limit, by sink and cause",
  labelNames: ["sink", "cause"],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  registers,
});

const errors = new Counter({
  name: "guildcal_dispatch_errors_total",
  help: "Operations of dispatch that failed and are retried, or were refused, by operation",
  labelNames: ["operation"],
  registers,
});

/** Set every few seconds by `startGauges`. */
const gauges = {
  open: gauge("guildcal_posts_open", "Posts of all replicas that are planned or being sent, counted up to 10000"),
  overdue: gauge(
    "guildcal_posts_overdue",
    "Open posts of all replicas that are overdue by 10 seconds, counted up to 10000",
  ),
  inWork: gauge("guildcal_posts_in_flight", "Posts that this process is working on"),
  planLag: gauge(
    "guildcal_plan_lag_seconds",
    "Age of the last instant before which every change of the guilds that this process plans is planned, or stored as a request for a plan; before the first complete read, the age of the stored mark or of the process",
  ),
};

const changesWaiting = new Gauge({
  name: "guildcal_changes_waiting",
  help: "Changes that this process has to plan, by feed; up to 10000 are counted that it has not read yet",
  labelNames: ["feed"],
  registers,
});

const sinkHalted = new Gauge({
  name: "guildcal_sink_halted",
  help: "1 while nothing is sent through the sink until an operator acts",
  labelNames: ["sink"],
  registers,
});

function gauge(name: string, help: string): Gauge {
  return new Gauge({ name, help, registers });
}

const ALL_METRICS: readonly Metric[] = [
  settled.metric,
  planned,
  lateness,
  sinkSeconds,
  waits,
  errors,
  ...Object.values(gauges),
  changesWaiting,
  sinkHalted,
  ...NOTIFICATION_METRICS,
];
let isExported = false;

/** Exports the metrics of dispatch from this process; further calls do nothing. */
export function exportDispatchMetrics(): void {
  if (isExported) return;
  isExported = true;
  for (const metric of ALL_METRICS) metricsRegistry.registerMetric(metric);
}

export function countSettled(post: Post): void {
  const { state, lateMs, sink } = post;
  settled.inc({ state, reason: reasonCode(post) ?? "" });
  if (lateMs !== undefined) lateness.observe({ sink }, lateMs / 1000);
}

export function countWait(sink: Sink["name"], cause: "turn" | "limit", ms: number): void {
  waits.observe({ sink, cause }, Math.max(0, ms) / 1000);
}

/** @param operation - The operation that failed; a fixed text of the protocol. */
export function countError(operation: string): void {
  errors.inc({ operation });
}

/** The store with a counter of planned posts. */
export function withPlanCounter<Store extends Pick<PostsStore, "commitPlan">>(store: Store): Store {
  return {
    ...store,
    async commitPlan(plan) {
      const version = await store.commitPlan(plan);
      if (version !== undefined) planned.inc(plan.inserts.filter(({ state }) => state === "planned").length);
      return version;
    },
  };
}

/** The sink with a histogram of its sends. */
export function withSendTiming(sink: Sink): Sink {
  return {
    ...sink,
    async send(message, timeoutMs) {
      const began = performance.now();
      const outcome = await sink.send(message, timeoutMs);
      sinkSeconds.observe({ sink: sink.name, outcome: outcome.kind }, (performance.now() - began) / 1000);
      return outcome;
    },
  };
}

const MAX_COUNTED = 10_000;
const OVERDUE_MS = 10_000;
const INTERVAL_MS = 5_000;

/**
 * The age of the plan, in seconds. For a feed that was never read the age counts from the process's start, so that the lag
 * of an installation that can't read its feeds grows.
 *
 * @param startedAt - By the same clock as `now`.
 */
export function planLagSeconds(feeds: readonly FeedProgress[], startedAt: EpochMs, now: EpochMs): number {
  const through = Math.min(...feeds.map(({ plannedThrough }) => plannedThrough ?? startedAt));
  return Math.max(0, now - through) / 1000;
}

/** Sets the gauges at once and every 5 seconds, until the returned function is called. */
export function startGauges(
  dispatcher: Pick<Dispatcher, "status">,
  store: Pick<PostsStore, "countOpen">,
  unread: UnreadChanges,
  clock: Clock,
  sinks: readonly Pick<Sink, "name">[],
): () => void {
  const startedAt = clock.now() - process.uptime() * 1000;

  async function setGauges(): Promise<void> {
    const { inWork, feeds, haltedSinks } = dispatcher.status();
    gauges.inWork.set(inWork);
    for (const { name } of sinks) sinkHalted.set({ sink: name }, haltedSinks.includes(name) ? 1 : 0);
    gauges.planLag.set(planLagSeconds(feeds, startedAt, clock.now()));
    gauges.open.set(await store.countOpen(undefined, MAX_COUNTED));
    gauges.overdue.set(await store.countOpen(clock.now() - OVERDUE_MS, MAX_COUNTED));
    const unreadCounts = await Promise.all(feeds.map(unread));
    for (const [at, { feed, waiting }] of feeds.entries()) {
      changesWaiting.set({ feed }, waiting + (unreadCounts[at] ?? 0));
    }
  }

  // While the database is out of reach, which is reported elsewhere, the gauges keep their values.
  const update = () => void setGauges().catch(() => undefined);
  update();
  const timer = setInterval(update, INTERVAL_MS);
  return () => clearInterval(timer);
}
