import { expect, test } from "@jest/globals";
import type { ServiceBroker } from "moleculer";
import { until } from "../../../test/harness/until.ts";
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
