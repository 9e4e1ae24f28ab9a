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

  test("a mark never decreases", async () => {
    await fixture.store.saveChangeMark("announcements", { at: 10, id: "b" });
    await fixture.store.saveChangeMark("announcements", { at: 9, id: "c" });
    await expect(fixture.store.changeMarks()).resolves.toMatchObject({ announcements: { at: 10, id: "b" } });
    await fixture.store.saveChangeMark("announcements", { at: 11, id: "a" });
    await expect(fixture.store.changeMarks()).resolves.toMatchObject({ announcements: { at: 11, id: "a" } });
  });
}
