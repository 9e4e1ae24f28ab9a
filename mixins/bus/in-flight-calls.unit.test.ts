import { describe, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { InFlightMap } from "../async/in-flight-map.ts";

const ON_A_BUS = brokerOptions({ nodeId: "test", natsUrl: "nats://127.0.0.1:1", logLevel: "fatal" });

/** The map of pending calls of a broker that is not started. */
function pendingCallsOf(options: object): unknown {
  const { transit } = new ServiceBroker(options);
  return (transit as unknown as { pendingRequests: unknown }).pendingRequests;
}

describe("calls over the bus", () => {
  test("are stored in a map whose deleted entries can be collected", () => {
    expect(pendingCallsOf(ON_A_BUS)).toBeInstanceOf(InFlightMap);
  });

  test("are stored by Moleculer itself under the same name, in a Map", () => {
    expect(pendingCallsOf({ ...ON_A_BUS, middlewares: [] })).toBeInstanceOf(Map);
  });
});
