import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

/**
 * The registry of a process's metrics, including those of prom-client itself (`process_*`, `nodejs_*` with the event
 * loop lag). Services in one process share it.
 */
export const metricsRegistry = new Registry();

const registers = [metricsRegistry];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 6];

/**
 * Actions that this process served, from the check of the params to the result. Retries of a call within the process are
 * included. `code` is OK or an error code (D4).
 */
export const actionSeconds = new Histogram({
  name: "guildcal_action_duration_seconds",
  help: "Duration of actions in the process that served them, by action and outcome",
  labelNames: ["action", "code"],
  buckets: SECONDS,
  registers,
});

/** Broadcasts that this process sent, such as changes and outcomes of posts (D34). */
export const broadcastsSent = new Counter({
  name: "guildcal_broadcasts_total",
  help: "Broadcasts sent, by event",
  labelNames: ["event"],
  registers,
});

/** HTTP requests to the gateway. `route` is a path of the route table, or "other". */
export const httpRequestSeconds = new Histogram({
  name: "guildcal_http_request_duration_seconds",
  help: "Time from a request's headers to its response, by route and status",
  labelNames: ["route", "status"],
  buckets: SECONDS,
  registers,
});

/** Messages from the bus that were dropped: too large, of another form than the contracts, or forged. */
export const busRefusals = new Counter({
  name: "guildcal_bus_refused_total",
  help: "Messages from the bus that were dropped, by packet and reason",
  labelNames: ["packet", "reason"],
  registers,
});

let isCollecting = false;

/** Starts to collect metrics of the process itself; further calls do nothing. */
export function collectProcessMetrics(): void {
  if (isCollecting) return;
  isCollecting = true;
  collectDefaultMetrics({ register: metricsRegistry, eventLoopMonitoringPrecision: 20 });
}
