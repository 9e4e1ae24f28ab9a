import type { ServiceBroker } from "moleculer";
import { replicasOf } from "../../../mixins/bus/service-registry.ts";
import type { Replicas } from "../protocol/ports.ts";

/** Age of the cached list. A replica that has left delays posts by one rank's wait until the list is read again. */
const KEPT_MS = 500;

/** The nodes that have the dispatch service, as the broker knows them by their heartbeats. */
export function knownReplicas(broker: ServiceBroker): Replicas {
  let nodes: readonly string[] = [];
  let readAt = -Infinity;
  return {
    self: broker.nodeID,
    all() {
      if (performance.now() - readAt < KEPT_MS) return nodes;
      readAt = performance.now();
      nodes = replicasOf(broker, "dispatch");
      return nodes;
    },
  };
}
