import type { Middleware, ServiceBroker } from "moleculer";
import { InFlightMap } from "../async/in-flight-map.ts";

/** Keeps the calls that go over the bus where they are let go of with their answers (mixins/async/in-flight-map.ts). */
export const inFlightCalls: Middleware = {
  name: "passing calls",
  created(broker: ServiceBroker) {
    // Moleculer's declarations leave it out.
    const transit = broker.transit as unknown as { pendingRequests: InFlightMap<string, unknown> } | undefined;
    if (transit !== undefined) transit.pendingRequests = new InFlightMap();
  },
};
