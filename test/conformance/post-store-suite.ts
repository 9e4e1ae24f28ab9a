import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../harness/until.ts";
import { testEdits } from "./edit-suite.ts";
import { testLedger } from "./ledger-suite.ts";
import { testPlans } from "./plan-suite.ts";
import { PostStoreFixture, type StoreUnderTest } from "./post-store-fixture.ts";
import type { SinkName } from "../../services/dispatch/domain/post/sink-name.ts";

/** The promises of the port PostStore. Every implementation passes the same tests, including the simulator's. */
export function describePostStore(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`the plan and ledger ${name}`, () => {
    const fixture = new PostStoreFixture(start);
    beforeAll(() => fixture.start());
    afterAll(() => fixture.stop());

    testPlans(fixture);
    testLedger(fixture);
    testEdits(fixture);
    testMarks(fixture);
  });
}

/** The promises of a store about heartbeats, sinks and change feeds. */
function testMarks(fixture: PostStoreFixture): void {
  test("a gap between heartbeats is an outage of the database for a replica that ran during it, and of dispatch for others", async () => {
    const before = Date.now() - 60_000;
    const { firstAt, outages } = await fixture.store.recordHeartbeat(before, 10_000);
    expect(outages).toEqual([]);
    await expect(fixture.store.recordHeartbeat(before, 10_000)).resolves.toEqual({ firstAt, outages: [] });
    const passed = async (since: number) => until(() => Date.now() > since + 20, "a gap", 1_000, 5);
    const first = Date.now();
    await passed(first);
    const [one] = (await fixture.store.recordHeartbeat(before, 15)).outages;
    expect(one).toMatchObject({ cause: "DATABASE" });
    await passed(Date.now());
    const last = await fixture.store.recordHeartbeat(Date.now(), 15);
    const [, other] = last.outages;
    expect(last.firstAt).toBe(firstAt);
    expect(other).toMatchObject({ cause: "DISPATCH_DOWN" });
    const { from = 0, until: end = 0 } = one ?? {};
    expect(end - from).toBeGreaterThanOrEqual(15);
    expect(other?.from).toBeGreaterThanOrEqual(end);
  });

  test("a sink is enabled since the first start, or since it was last enabled", async () => {
    const enable = async (...names: SinkName[]) => (await fixture.store.enableSinks(names)).sinksEnabledSince ?? {};
    await expect(enable("log")).resolves.toEqual({ log: 0 });
    const before = Date.now() - 1_000;
    const { log, discord = 0 } = await enable("log", "discord");
    expect(log).toBe(0);
    expect(discord).toBeGreaterThan(before);
    await expect(enable("discord", "log")).resolves.toEqual({ log, discord });
    await enable("discord");
    const { log: again = 0 } = await enable("log", "discord");
    expect(again).toBeGreaterThan(before);
  });

  describe("the mark of a partition", () => {
    const save = (partition: number, at: number, id: string, by = "one", confirmedAt = 0) =>
      fixture.store.savePartitionMarks("announcements", new Map([[partition, { mark: { at, id }, confirmedAt }]]), by);
    const stored = async (partition: number) => (await fixture.store.partitionMarks("announcements")).get(partition);

    test("is absent before it is saved, and belongs to one feed", async () => {
      await expect(stored(3)).resolves.toBeUndefined();
      await save(3, 10, "b");
      await expect(stored(3)).resolves.toMatchObject({ mark: { at: 10, id: "b" } });
      await expect(stored(4)).resolves.toBeUndefined();
      await expect(fixture.store.partitionMarks("guild-settings")).resolves.toEqual(new Map());
    });

    test("never decreases", async () => {
      await save(5, 10, "b");
      await save(5, 9, "c");
      await save(5, 10, "a");
      await expect(stored(5)).resolves.toMatchObject({ mark: { at: 10, id: "b" } });
      await save(5, 11, "a");
      await expect(stored(5)).resolves.toMatchObject({ mark: { at: 11, id: "a" } });
    });

    test("has the latest confirmation, and names the replica that saved it last", async () => {
      await save(6, 10, "b", "one", 70);
      const { savedAt = 0 } = (await stored(6)) ?? {};
      await save(6, 9, "b", "two", 60);
      await expect(stored(6)).resolves.toMatchObject({ mark: { at: 10, id: "b" }, confirmedAt: 70, by: "two" });
      expect((await stored(6))?.savedAt).toBeGreaterThanOrEqual(savedAt);
      expect(savedAt).toBeGreaterThan(0);
    });
  });
}
