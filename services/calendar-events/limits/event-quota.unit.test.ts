import { describe, expect, test } from "@jest/globals";
import type { GuildId } from "../../contracts/ids.ts";
import { eventQuota } from "./event-quota.ts";

const guild = "1" as GuildId;

/** A quota of 100 with this count in the database, and a clock that the test sets. */
function quotaWithCount(inDatabase: number) {
  const database = { now: 0, inDatabase, counts: 0 };
  const count = () => {
    database.counts += 1;
    return Promise.resolve(database.inDatabase);
  };
  return { database, quota: eventQuota(100, count, () => database.now) };
}

describe("the limit of a guild's events", () => {
  test("admits as many concurrent creates as the limit allows, with one count in the database", async () => {
    const { database, quota } = quotaWithCount(97);
    const refusals = await Promise.all(Array.from({ length: 5 }, () => quota.reserve(guild)));
    expect(refusals.map((refusal) => refusal?.refusal)).toEqual([
      undefined,
      undefined,
      undefined,
      "TOO_MANY_EVENTS",
      "TOO_MANY_EVENTS",
    ]);
    expect(database.counts).toBe(1);
  });

  test("subtracts events that were not stored or were removed", async () => {
    const { quota } = quotaWithCount(99);
    await quota.reserve(guild);
    quota.release(guild);
    await expect(quota.reserve(guild)).resolves.toBeUndefined();
    await expect(quota.reserve(guild)).resolves.toMatchObject({ refusal: "TOO_MANY_EVENTS" });
  });

  test("counts the writes of other replicas after a second near the limit, and after a minute far from it", async () => {
    const near = quotaWithCount(95);
    await near.quota.reserve(guild);
    Object.assign(near.database, { now: 1_001, inDatabase: 100 });
    await expect(near.quota.reserve(guild)).resolves.toMatchObject({ refusal: "TOO_MANY_EVENTS" });

    const far = quotaWithCount(10);
    await far.quota.reserve(guild);
    far.database.now = 59_000;
    await far.quota.reserve(guild);
    expect(far.database.counts).toBe(1);
    far.database.now = 60_001;
    await Promise.all([far.quota.reserve(guild), far.quota.reserve(guild)]);
    expect(far.database.counts).toBe(2);
  });

  test("fails the create if the count fails, and counts again for the next one", async () => {
    let fails = true;
    const quota = eventQuota(
      1,
      () => (fails ? Promise.reject(new Error("down")) : Promise.resolve(0)),
      () => 0,
    );
    await expect(quota.reserve(guild)).rejects.toThrow("down");
    fails = false;
    await expect(quota.reserve(guild)).resolves.toBeUndefined();
  });
});
