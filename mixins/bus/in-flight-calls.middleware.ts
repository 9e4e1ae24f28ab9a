import type { Middleware, ServiceBroker } from "moleculer";
import { InFlightMap } from "../async/in-flight-map.ts";

/**
 * Stores the calls over the bus in a map whose deleted values can be collected at once
 * (mixins/async/in-flight-map.ts).
 */
export const inFlightCalls: Middleware = {
  name: "in-flight-calls",
  created(broker: ServiceBroker) {
    // Moleculer's declarations lack the member.
    const transit = broker.transit as unknown as { pendingRequests: InFlightMap<string, unknown> } | undefined;
    if (transit !== undefined) transit.pendingRequests = new InFlightMap();
  },
};
