import type { Middleware, ServiceBroker } from "moleculer";
import { PassingMap } from "../async/passing-map.ts";

/** Keeps the calls that go over the bus where they are let go of with their answers (mixins/async/passing-map.ts). */
export const passingCalls: Middleware = {
  name: "passing calls",
  created(broker: ServiceBroker) {
    // Moleculer's declarations leave it out.
    const transit = broker.transit as unknown as { pendingRequests: PassingMap<string, unknown> } | undefined;
    if (transit !== undefined) transit.pendingRequests = new PassingMap();
  },
};
