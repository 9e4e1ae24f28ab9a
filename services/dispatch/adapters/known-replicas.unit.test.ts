import { afterEach, expect, jest, test } from "@jest/globals";
import type { ServiceBroker } from "moleculer";
import { NatsTransporter } from "../../../mixins/bus/nats-transporter.ts";
import { knownReplicas } from "./known-replicas.ts";

/** A broker that knows these nodes with the dispatch service. */
function brokerWith(nodes: () => readonly string[], tx?: NatsTransporter): ServiceBroker {
  const getServiceList = () => nodes().map((nodeID) => ({ name: "dispatch", nodeID }));
  return { nodeID: "one", registry: { getServiceList }, transit: { tx } } as unknown as ServiceBroker;
}

afterEach(() => {
  jest.useRealTimers();
});

test("a replica that has left counts as a sender for another minute", () => {
  jest.useFakeTimers({ now: 0 });
  let nodes = ["one", "two"];
  const replicas = knownReplicas(brokerWith(() => nodes));
  expect(replicas.sending()).toBe(2);
  nodes = ["one"];
  jest.advanceTimersByTime(59_000);
  expect(replicas.sending()).toBe(2);
  jest.advanceTimersByTime(2_000);
  expect(replicas.sending()).toBe(1);
  nodes = ["one", "two", "three"];
  jest.advanceTimersByTime(1_000);
  expect(replicas.sending()).toBe(3);
});

test("replicas that are not known because NATS is out of reach count as senders", () => {
  jest.useFakeTimers({ now: 0 });
  let nodes = ["one", "two"];
  const unconnected = new NatsTransporter({ url: "nats://127.0.0.1:1", name: "one" });
  const replicas = knownReplicas(brokerWith(() => nodes, unconnected));
  expect(replicas.sending()).toBe(2);
  nodes = ["one"];
  for (let minute = 0; minute < 60; minute += 1) {
    jest.advanceTimersByTime(60_000);
    expect(replicas.sending()).toBe(2);
  }
});
