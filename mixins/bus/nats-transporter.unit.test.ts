import { describe, expect, test } from "@jest/globals";
import { type BrokerOptions, ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { InFlightMap } from "../async/in-flight-map.ts";
import { connectionOptions } from "./nats-transporter.ts";

const ON_A_BUS = brokerOptions({ nodeId: "test", natsUrl: "nats://127.0.0.1:1", logLevel: "fatal" });

/** The map of pending calls of a broker that is not started. */
function pendingCallsOf(options: BrokerOptions): unknown {
  return new ServiceBroker(options).transit?.pendingRequests;
}

describe("calls over the bus", () => {
  test("are stored in a map whose deleted entries can be collected", () => {
    expect(pendingCallsOf(ON_A_BUS)).toBeInstanceOf(InFlightMap);
  });

  test("are stored by Moleculer itself under the same name, in a Map", () => {
    expect(pendingCallsOf({ ...ON_A_BUS, transporter: "Fake" })).toBeInstanceOf(Map);
  });
});

describe("the connection to NATS", () => {
  test("has all servers of its URLs, and the first user and password", () => {
    const url = "nats://one:4222,nats://api:secret@two:4223,nats://other:password@three:4224";
    const servers = ["one:4222", "two:4223", "three:4224"];
    expect(connectionOptions({ url, name: "test" })).toMatchObject({ servers, user: "api", pass: "secret" });
  });

  test("refuses servers without TLS if its URLs begin with tls://", () => {
    expect(connectionOptions({ url: "tls://one:4222,tls://two:4222", name: "test" })).toMatchObject({ tls: {} });
    expect(Object.keys(connectionOptions({ url: "nats://one:4222", name: "test" }))).not.toContain("tls");
  });

  test("has no user if its URL has none", () => {
    expect(Object.keys(connectionOptions({ url: "nats://one:4222", name: "test" }))).not.toContain("user");
  });
});
