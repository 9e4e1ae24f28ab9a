import type { Middleware, Service, ServiceBroker } from "moleculer";
import { integerSetting } from "../settings/environment.ts";
import { metricsRegistry, collectProcessMetrics } from "./metrics.ts";
import { updateReachabilityMetrics } from "./reachability-metrics.ts";
import { timeZones } from "../time-zones/time-zones.ts";
import { setTimeZoneMetric } from "./time-zone-metrics.ts";
import { type ProbeServer, startProbeServer } from "./probe-server.ts";
import { isBusUp } from "../bus/nats-transporter.ts";

/** The settings of probes. */
export const probeSettings = {
  PROBE_PORT: integerSetting(
    "Port of /health/live, /health/ready and /metrics of each process; with `npm run start:nats` the first of six ports; 0 for none",
    0,
    0,
    65_535,
  ),
};

export interface ProbeOptions {
  /** 0 chooses a free port, which `onListening` receives. If PROBE_PORT is 0, the launcher leaves the middleware out. */
  readonly port: number;
  readonly host: string;
  /** Names of further parts that the process lacks now, beside its bus and the databases of its services. */
  readonly alsoMissing?: () => readonly string[];
  readonly onListening?: (port: number) => void;
}

/**
 * Serves probes and metrics from the start of the broker to its stop. A process is live while it responds, and ready if it lacks no
 * part: the bus, the databases of its services, those of `alsoMissing`.
 */
export function probes({ port, host, alsoMissing = () => [], onListening }: ProbeOptions): Middleware {
  let server: ProbeServer | undefined;
  let stopping = false;
  return {
    name: "probes",
    async started(broker) {
      collectProcessMetrics();
      setTimeZoneMetric();
      server = await startProbeServer({
        port,
        host,
        missing: async () => (stopping ? ["stopping"] : [...(await missingParts(broker)), ...alsoMissing()]),
        details: () => ({ time_zones: timeZones().version }),
        metrics: async () => {
          await updateReachabilityMetrics(broker);
          return metricsRegistry.metrics();
        },
        metricsType: metricsRegistry.contentType,
      });
      onListening?.(server.port);
    },
    async stopping() {
      stopping = true;
    },
    async stopped() {
      await server?.close();
    },
  };
}

/** The parts that this process lacks now: the bus, and databases of its services. */
async function missingParts(broker: ServiceBroker): Promise<string[]> {
  const databases = await Promise.all(broker.services.map(missingDatabase));
  return [...(isBusUp(broker) ? [] : ["bus"]), ...databases.flat()];
}

/** Runs the health check of the service in this process: a call could reach another replica. */
async function missingDatabase({ name, actions }: Service): Promise<string[]> {
  if (actions["health"] === undefined || isInternal(name)) return [];
  const { database }: { database: boolean } = await actions["health"]({});
  return database ? [] : [`database of ${name}`];
}

function isInternal(service: string): boolean {
  return service.startsWith("$");
}
