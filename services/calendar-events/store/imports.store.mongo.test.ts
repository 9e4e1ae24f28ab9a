import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import type { GuildId } from "../../contracts/ids.ts";
import { type ImportsStore, importsStore } from "./imports.store.ts";

const lease = (importId: string, calendarNumber = 1) => ({ guildId: "1" as GuildId, calendarNumber, importId });

describe("the lease of a calendar's imports", () => {
  let connection: Connection;
  let store: ImportsStore;
  beforeAll(async () => {
    connection = await mongoose.createConnection(emptyDatabase(), { autoIndex: false }).asPromise();
    store = importsStore(connection);
  });
  afterAll(() => connection.close());

  test("belongs to one import of a calendar at a time, until it is released or over", async () => {
    const taken = await Promise.all(["a", "b", "c", "d"].map((id) => store.lease(lease(id))));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const holder = ["a", "b", "c", "d"].find((_, at) => taken[at]) ?? "";
    await expect(store.lease(lease(holder))).resolves.toBe(true);
    await expect(store.lease(lease("other"))).resolves.toBe(false);
    await expect(store.lease(lease("other", 2))).resolves.toBe(true);
    await store.release(lease("other"));
    await expect(store.lease(lease("other"))).resolves.toBe(false);
    await store.release(lease(holder));
    await expect(store.lease(lease("other"))).resolves.toBe(true);
    const rows = connection.collection("calendar_imports");
    await rows.updateMany({}, [{ $set: { until: { $subtract: ["$$NOW", 1] } } }]);
    await expect(store.lease(lease("next"))).resolves.toBe(true);
  });
});
