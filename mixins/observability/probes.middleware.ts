import type { Middleware, Service, ServiceBroker } from "moleculer";
import { integerSetting } from "../settings/environment.ts";
import { metricsRegistry, collectProcessMetrics } from "./metrics.ts";
import { updateReachabilityMetrics } from "./reachability-metrics.ts";
import { timeZones } from "../time-zones/time-zones.ts";
import { updateTimeZoneMetric } from "./time-zone-metrics.ts";
import { type ProbeServer, startProbeServer } from "./probe-server.ts";
import { isBusUp } from "../bus/nats-transporter.ts";

/** What an operator can set about probes. */
export const probeSettings = {
  PROBE_PORT: integerSetting(
    "The port of a process's own /health/live, /health/ready and /metrics, and with `npm run start:nats` the first of five; 0 for none",
    0,
    0,
    65_535,
  ),
};

export interface ProbeOptions {
  /** 0 takes a free one; `onListening` tells which. */
  readonly port: number;
  readonly host: string;
  /** What the process waits for beside its bus and its services' databases, in words for an operator. */
  readonly alsoMissing?: () => readonly string[];
  readonly onListening?: (port: number) => void;
}

/** Answers an orchestrator's probes from the moment at which the broker has started to its end. */
export function probes({ port, host, alsoMissing = () => [], onListening }: ProbeOptions): Middleware {
  let server: ProbeServer | undefined;
  let stopping = false;
  return {
    name: "probes",
    async started(broker) {
      collectProcessMetrics();
      server = await startProbeServer({
        port,
        host,
        missing: async () => (stopping ? ["stopping"] : [...(await missingParts(broker)), ...alsoMissing()]),
        about: () => ({ time_zones: timeZones().version }),
        metrics: async () => {
          updateTimeZoneMetric();
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

/** The bus, and the databases of the services that run here. */
async function missingParts(broker: ServiceBroker): Promise<string[]> {
  const databases = await Promise.all(broker.services.map(missingDatabase));
  return [...(isBusUp(broker) ? [] : ["bus"]), ...databases.flat()];
}

/** Asks the service itself: a call could be answered by another replica. */
async function missingDatabase({ name, actions }: Service): Promise<string[]> {
  if (actions["health"] === undefined || isMoleculers(name)) return [];
  const { database } = await (actions["health"]({}) as Promise<{ database: boolean }>);
  return database ? [] : [`database of ${name}`];
}

function isMoleculers(service: string): boolean {
  return service.startsWith("$");
}
