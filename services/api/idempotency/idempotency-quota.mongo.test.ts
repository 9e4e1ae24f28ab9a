import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { closedConnection } from "../../../mixins/mongo/database.mixin.ts";
import { emptyDatabase } from "../../../test/harness/test-services.ts";
import { until } from "../../../test/harness/until.ts";
import { idempotentRunner } from "./idempotency.ts";
import { idempotencyQuota } from "./idempotency-quota.ts";
import { idempotencyRecordsStore } from "./idempotency-records.store.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const REFUSED = {
  refusal: "TOO_MANY_REQUESTS",
  message: expect.stringContaining("has used 3 Idempotency-Keys within 24 hours"),
};

describe("the Idempotency-Keys of a guild", () => {
  const connection = closedConnection();
  const store = idempotencyRecordsStore(connection);
  const records = () => connection.collection<{ guildId: string; at: Date }>("idempotency_records");
  let performed: string[] = [];

  beforeAll(async () => {
    await connection.openUri(emptyDatabase());
    for (const model of Object.values(connection.models)) await model.createIndexes();
  });
  afterAll(() => connection.close());

  /** A gateway with room for three keys of a guild. */
  function gateway() {
    const runIdempotently = idempotentRunner(store, idempotencyQuota(store, 3), (error) =>
      expect(error).toBeUndefined(),
    );
    return (guildId: string, name: string) =>
      runIdempotently(
        { idempotencyKey: name, guildId, keyId: "k", path: "/p", params: { guildId } },
        async (writeId) => {
          performed.push(name);
          return { body: `{"id":"${writeId}"}` };
        },
      );
  }

  test("are limited: a further one is refused, does nothing, and leaves those of other guilds alone", async () => {
    const send = gateway();
    performed = [];
    for (const name of ["a", "b", "c"]) await expect(send("1", name)).resolves.toHaveProperty("body");
    await expect(send("1", "d")).resolves.toMatchObject(REFUSED);
    await expect(gateway()("1", "e")).resolves.toMatchObject(REFUSED);
    expect(performed).toEqual(["a", "b", "c"]);
    await expect(send("2", "f")).resolves.toHaveProperty("body");
  });

  test("that are in use are answered again, also without room, and are counted once", async () => {
    const send = gateway();
    const first = await send("3", "g");
    for (let repeat = 0; repeat < 5; repeat += 1) await expect(send("3", "g")).resolves.toEqual(first);
    for (const name of ["h", "i"]) await expect(send("3", name)).resolves.toHaveProperty("body");
    await expect(send("3", "j")).resolves.toMatchObject(REFUSED);
    await expect(send("3", "g")).resolves.toEqual(first);
  });

  test("have room again when the oldest has expired, after the time that the refusal names", async () => {
    const send = gateway();
    for (const name of ["k", "l", "m"]) await send("4", name);
    const oldest = await records().findOneAndUpdate(
      { guildId: "4" },
      { $set: { at: new Date(Date.now() - 23 * HOUR_MS) } },
    );
    const { waitMs } = (await send("4", "n")) as { readonly waitMs: number };
    expect(waitMs).toBeGreaterThan(HOUR_MS);
    expect(waitMs).toBeLessThanOrEqual(HOUR_MS + MINUTE_MS);
    await records().deleteOne({ _id: oldest!._id });
    await until(async () => "body" in (await send("4", "n")), "the guild has room");
  });
});
