import type { ServiceBroker } from "moleculer";
import { broadcast } from "../../../mixins/actions/typed-calls.ts";
import { replicasOf } from "../../../mixins/bus/service-registry.ts";
import { changesPlanned, MAX_PLANNED_CHANGES, type PlannedChange } from "../../contracts/planned-changes.contract.ts";
import type { Replicas } from "../protocol/ports.ts";

/** Maximum age of the cached list. A replica that has left delays its posts by one rank until the list is read again. */
const CACHE_MS = 500;
/** Changes that are planned within this time are one event. Less than the other replicas wait for it. */
const TELL_AFTER_MS = 100;

/** The nodes with the dispatch service, this one included, as the broker knows them from their heartbeats. */
export function knownReplicas(broker: ServiceBroker): Replicas {
  let nodes: readonly string[] = [];
  let readAt = -Infinity;
  let untold: PlannedChange[] = [];

  function tell(): void {
    const changes = untold;
    untold = [];
    for (let at = 0; at < changes.length; at += MAX_PLANNED_CHANGES) {
      broadcast(broker, changesPlanned, { changes: changes.slice(at, at + MAX_PLANNED_CHANGES) });
    }
  }

  return {
    self: broker.nodeID,
    all() {
      if (performance.now() - readAt < CACHE_MS) return nodes;
      readAt = performance.now();
      nodes = replicasOf(broker, "dispatch");
      return nodes;
    },
    tellPlanned(changes) {
      if (untold.length === 0) setTimeout(tell, TELL_AFTER_MS).unref();
      untold.push(...changes);
    },
  };
}
