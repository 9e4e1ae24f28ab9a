import type { BrokerOptions, Middleware } from "moleculer";
import type { LoggerOptions } from "pino";
import { packetChecks } from "./mixins/bus/packet-checks.middleware.ts";
import { retries } from "./mixins/bus/retries.middleware.ts";
import { NatsTransporter } from "./mixins/bus/nats-transporter.ts";

/** The settings that differ between processes; all other options are equal. */
export interface BrokerSettings {
  /** `<service>.<NODE_NAME>-<suffix>` (node-id.ts); dotted, so that NATS permissions can be granted by service. */
  readonly nodeId: string;
  /** `nats://host:port`, several separated by commas; undefined keeps everything in this process. */
  readonly natsUrl: string | undefined;
  readonly logLevel: string;
}

/** How long a call may take before its caller gives up. Longer than a MongoDB election, which calls wait out. */
const REQUEST_TIMEOUT_MS = 6_000;

/** How long a stopping process waits for the calls that it is serving. */
export const DRAIN_MS = 10_000;

/** Moleculer's namespace of the services. Their subjects on the bus begin with `MOL-guildcal.`. */
export const NAMESPACE = "guildcal";

/** Options of the loggers: one JSON object for each line, with its level by name and its time in ISO 8601. */
export function lineFormat(level: string): LoggerOptions {
  return {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
  };
}

export function brokerOptions({ nodeId, natsUrl, logLevel }: BrokerSettings): BrokerOptions {
  const quiet = logLevel === "fatal" ? "fatal" : "error";
  return {
    namespace: NAMESPACE,
    nodeID: nodeId,
    logger: {
      type: "Pino",
      options: {
        // Moleculer's own modules log every connection and registration; only problems are useful.
        level: { BROKER: quiet, REGISTRY: quiet, TRANSIT: quiet, TRANSPORTER: quiet, "**": logLevel },
        pino: { options: lineFormat(logLevel) },
      },
    },
    transporter: natsUrl === undefined ? null : new NatsTransporter({ url: natsUrl, name: nodeId }),
    // At once: a service that is announced before its subscriptions are made would miss its first requests.
    transit: { serviceChangedDebounceTime: 0 } as NonNullable<BrokerOptions["transit"]>,
    // CBOR takes two thirds of the time of JSON, and keeps BigInt and undefined as they are.
    serializer: "CBOR",
    // 0, the default, waits for ever: a lost response would hold its request until the client gives up.
    requestTimeout: REQUEST_TIMEOUT_MS,
    // NATS queue groups choose the replica. Moleculer's own balancer keeps sending to a killed one until its
    // heartbeat is missed: a fifth of all calls failed that way for seconds, against one in two thousand.
    disableBalancer: natsUrl !== undefined,
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    // Without it a stopping service fails the calls in flight.
    tracking: { enabled: true, shutdownTimeout: DRAIN_MS },
    middlewares: [untrackedCalls, retries(), packetChecks()],
    maxCallLevel: 10,
    // Params are checked by each action's contract, not by Moleculer (mixins/actions/check-params.ts).
    validator: false,
    metrics: false,
    tracing: false,
    // The launcher owns the signals: it stops the broker, then the embedded servers.
    skipProcessEventRegistration: true,
    // Moleculer's own actions (`$node.list` and others), which no NATS user may call.
    internalServices: false,
  };
}

/**
 * A stopping process waits for the calls that it serves, not for the calls that it makes. Moleculer never removes a tracked
 * call that timed out, so that one such call would use the whole drain time. Dispatch makes calls without a pause, and
 * would never stop.
 */
const untrackedCalls = {
  name: "untracked calls",
  call:
    (next: Call): Call =>
    (action, params, options) =>
      next(action, params, { ...options, tracking: false }),
  // Moleculer declares that this hook makes the call; it returns the function that makes the call.
} as unknown as Middleware;

type Call = (action: string, params?: object, options?: object) => Promise<unknown>;
