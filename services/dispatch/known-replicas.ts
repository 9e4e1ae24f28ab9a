import type { ServiceBroker } from "moleculer";
import type { Replicas } from "./protocol/ports.ts";

interface ServiceItem {
  readonly name: string;
  readonly nodeID: string;
}

interface Registry {
  getServiceList(options: { readonly onlyAvailable: boolean }): readonly ServiceItem[];
}

/** How old the list may be: a replica that is gone costs a rank's wait until it is noticed. */
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
      const services = (broker.registry as unknown as Registry).getServiceList({ onlyAvailable: true });
      nodes = services.filter(({ name }) => name === "dispatch").map(({ nodeID }) => nodeID);
      return nodes;
    },
  };
}
