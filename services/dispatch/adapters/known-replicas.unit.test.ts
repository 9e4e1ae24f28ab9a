import { afterEach, expect, jest, test } from "@jest/globals";
import type { ServiceBroker } from "moleculer";
import { until } from "../../../test/harness/until.ts";
import { NatsTransporter } from "../../../mixins/bus/nats-transporter.ts";
import type { PlannedChange } from "../../contracts/planned-changes.contract.ts";
import { knownReplicas } from "./known-replicas.ts";

function plannedChanges(from: number, count: number): PlannedChange[] {
  return Array.from({ length: count }, (_, at) => ({
    feed: "calendar-events",
    id: `${from + at}`,
    revision: 1,
    since: 0,
  }));
}

test("changes that are planned at about the same time are told in as few events as they fit in", async () => {
  const events: (readonly PlannedChange[])[] = [];
  const broker = {
    nodeID: "one",
    broadcast: async (_name: string, { changes }: { readonly changes: readonly PlannedChange[] }) =>
      events.push(changes),
  } as unknown as ServiceBroker;
  const replicas = knownReplicas(broker);
  for (let from = 0; from < 300; from += 3) replicas.tellPlanned(plannedChanges(from, 3));
  expect(events).toEqual([]);
  await until(() => events.length === 2, "both events", 10_000);
  expect(events.map(({ length }) => length)).toEqual([250, 50]);
  expect(events.flat()).toEqual(plannedChanges(0, 300));
  replicas.tellPlanned(plannedChanges(300, 1));
  await until(() => events.length === 3, "another event", 10_000);
  expect(events[2]).toEqual(plannedChanges(300, 1));
});

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
