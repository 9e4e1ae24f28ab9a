import type { ServiceBroker } from "moleculer";
import { broadcast } from "../../../mixins/actions/typed-calls.ts";
import { replicasOf } from "../../../mixins/bus/service-registry.ts";
import { changesPlanned } from "../../contracts/planned-changes.contract.ts";
import type { Replicas } from "../protocol/ports.ts";

/** Maximum age of the cached list. A replica that has left delays its posts by one rank until the list is read again. */
const CACHE_MS = 500;

/** The nodes with the dispatch service, this one included, as the broker knows them from their heartbeats. */
export function knownReplicas(broker: ServiceBroker): Replicas {
  let nodes: readonly string[] = [];
  let readAt = -Infinity;
  return {
    self: broker.nodeID,
    all() {
      if (performance.now() - readAt < CACHE_MS) return nodes;
      readAt = performance.now();
      nodes = replicasOf(broker, "dispatch");
      return nodes;
    },
    tellPlanned: (changes) => broadcast(broker, changesPlanned, { changes }),
  };
}
