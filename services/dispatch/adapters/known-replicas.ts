import type { ServiceBroker } from "moleculer";
import { isBusUp } from "../../../mixins/bus/nats-transporter.ts";
import { replicasOf } from "../../../mixins/bus/service-registry.ts";
import type { Replicas } from "../protocol/ports.ts";

/** Maximum age of the cached list. A replica that has left delays its posts by one rank until the list is read again. */
const CACHE_MS = 500;
/** A replica that is not known any more may still send for so long: its heartbeats may be lost. */
const MAY_SEND_MS = 60_000;

/** The nodes with the dispatch service, this one included, as the broker knows them from their heartbeats. */
export interface KnownReplicas extends Replicas {
  /**
   * The number of replicas that may send to the sinks: the largest number of known ones within the last minute. It does not
   * decrease while NATS is out of reach, since replicas that are not known then send posts, too.
   */
  sending(): number;
}

export function knownReplicas(broker: ServiceBroker): KnownReplicas {
  let nodes: readonly string[] = [];
  let most = { count: 1, at: -Infinity };
  let readAt = -Infinity;

  function all(): readonly string[] {
    if (performance.now() - readAt < CACHE_MS) return nodes;
    readAt = performance.now();
    nodes = replicasOf(broker, "dispatch");
    return nodes;
  }

  return {
    self: broker.nodeID,
    all,
    sending() {
      const [count, at] = [all().length, performance.now()];
      if (!isBusUp(broker)) most = { count: Math.max(count, most.count), at };
      else if (count >= most.count || at - most.at > MAY_SEND_MS) most = { count, at };
      return most.count;
    },
  };
}
