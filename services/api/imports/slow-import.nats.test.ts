import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { none, newImportGuild, startImportGateway, vcalendar } from "../../../test/harness/import-guild.ts";
import {
  type Command,
  type MongoProxy,
  startMongoProxy,
  writtenCollection,
} from "../../../test/harness/mongo-proxy.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import type { TestGateway } from "../../../test/harness/test-gateway.ts";
import { until } from "../../../test/harness/until.ts";

/** Time in which a call of an idempotent action would be sent three times. */
const SLOW_MS = 2_600;

const isWriteOfEvents = (command: Command) => writtenCollection(command) === "calendar_events";
const calendar = vcalendar("UID:a\nDTSTART:20260305T100000Z\nDURATION:PT1H\nSUMMARY:One");

describe("an import whose database is slow, with two replicas", () => {
  let proxy: MongoProxy;
  let gateway: TestGateway;

  beforeAll(async () => {
    const { port } = new URL(emptyDatabase());
    proxy = await startMongoProxy(Number(port));
    const through = (mongoUrl: string) => mongoUrl.replace(`:${port}/`, `:${proxy.port}/`);
    gateway = await startImportGateway({ replicas: 2, through });
  });
  afterAll(async () => {
    await gateway.stop();
    await proxy.stop();
  });

  // A further attempt may reach the replica that has the first one, and share its outcome.
  test.each([1, 2, 3])("creates each event once, and the next import can begin (%d)", async () => {
    const guild = newImportGuild(gateway);
    const release = proxy.hold(isWriteOfEvents);
    const first = guild.load(calendar);
    await until(() => proxy.held > 0, "the write is delayed");
    const heldAt = performance.now();
    await until(() => proxy.held > 1 || performance.now() - heldAt > SLOW_MS, "other calls would have been sent");
    await release();
    // On a busy machine the call may have ended without a response, and the gateway has repeated it afterwards.
    expect(await first).toMatchObject({ skipped: 0, complete: true });
    expect(await guild.list()).toHaveLength(1);
    expect(await guild.load(calendar)).toMatchObject({ ...none, unchanged: 1 });
  });
});
