import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

/**
 * Every metric of a process, beside those that prom-client gives by itself (`process_*`, `nodejs_*`, the event
 * loop's lag among them). One registry a process: services that share one share its figures.
 */
export const metricsRegistry = new Registry();

const registers = [metricsRegistry];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 6];

/** Actions that this process served, from checked params to result. `code` is OK or the error's word (D4). */
export const actionSeconds = new Histogram({
  name: "guildcal_action_duration_seconds",
  help: "Time that an action took where it was served, by action and outcome",
  labelNames: ["action", "code"],
  buckets: SECONDS,
  registers,
});

/** Broadcasts that this process sent: what was changed, and what became of each post (D34). */
export const broadcastsSent = new Counter({
  name: "guildcal_broadcasts_total",
  help: "Broadcasts sent, by event",
  labelNames: ["event"],
  registers,
});

/** Requests as the gateway answered them. `route` is a path of the route table, or "other". */
export const httpRequestSeconds = new Histogram({
  name: "guildcal_http_request_duration_seconds",
  help: "Time from a request's headers to its answer, by route and status",
  labelNames: ["route", "status"],
  buckets: SECONDS,
  registers,
});

/** Messages from the bus that were dropped: too large, of another form than the contracts have, or forged. */
export const busRefusals = new Counter({
  name: "guildcal_bus_refused_total",
  help: "Messages from the bus that were dropped, by packet and reason",
  labelNames: ["packet", "reason"],
  registers,
});

let watching = false;

/** Begins to watch the process itself: from the first call on, however often it is made. */
export function collectProcessMetrics(): void {
  if (watching) return;
  watching = true;
  collectDefaultMetrics({ register: metricsRegistry, eventLoopMonitoringPrecision: 20 });
}
