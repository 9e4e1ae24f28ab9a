import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Cluster, startCluster } from "../chaos/cluster.ts";
import { SHORT } from "../chaos/faults.ts";
import { runFault } from "../chaos/run-fault.ts";

describe("two replicas of dispatch, each post exactly once", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  test.each(SHORT.map((fault) => [fault.name, fault] as const))("%s", async (_name, fault) => {
    const { times, due, ...row } = await runFault(cluster, fault);
    expect(times).toBeGreaterThan(0);
    expect(row).toMatchObject({ sent: due, doubled: 0, lost: 0, early: 0 });
  });
});
