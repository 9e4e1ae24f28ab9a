import { describe, expect, test } from "@jest/globals";
import { isRefusal } from "../../contracts/errors.ts";
import type { ConcurrencySlot } from "./concurrency-limit.ts";
import { RequestConcurrency } from "./request-concurrency.ts";

const LIST = { isSearch: true } as const;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the lists of a guild", () => {
  let now = 0;
  const concurrency = () => new RequestConcurrency(() => now);

  /** The slots that are granted, in order. */
  function acquire(limits: RequestConcurrency, contract: { isSearch?: true }, guildId: string, times = 1) {
    const granted: ConcurrencySlot[] = [];
    for (let at = 0; at < times; at += 1) {
      void limits
        .acquire({ contract, guildId, keyId: "key" })
        .then((slot) => (isRefusal(slot) ? undefined : granted.push(slot)));
    }
    return granted;
  }

  /** Requests of other guilds, one after the other, that are no lists. */
  async function others(limits: RequestConcurrency, count: number, tookMs: number): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      const granted = acquire(limits, {}, `${at + 2}`);
      await settled();
      now += tookMs;
      granted[0]!.release();
    }
  }

  /** The number of lists of the guild that run after its first one, which took 300 ms. */
  async function runningAfterASlowOne(limits: RequestConcurrency): Promise<number> {
    const granted = acquire(limits, LIST, "1", 10);
    await settled();
    now += 300;
    granted[0]!.release();
    await settled();
    return granted.length - 1;
  }

  test("pause after one that took a quarter of a second while other requests were fast", async () => {
    const limits = concurrency();
    await others(limits, 50, 10);
    expect(await runningAfterASlowOne(limits)).toBe(0);
  });

  test("do not pause after one that only waited for the lists of its key", async () => {
    const limits = concurrency();
    const ofOthers = Array.from({ length: 8 }, (_, at) => acquire(limits, LIST, `${at + 2}`));
    await settled();
    const granted = acquire(limits, LIST, "1", 3);
    await settled();
    expect(granted).toHaveLength(0);
    now += 300;
    ofOthers[0]![0]!.release();
    await settled();
    now += 10;
    granted[0]!.release();
    await settled();
    expect(granted.length).toBeGreaterThan(1);
  });

  test("are not compared with the duration of bulk requests", async () => {
    const limits = concurrency();
    for (let at = 0; at < 50; at += 1) {
      const slot = await limits.acquire({ contract: {}, guildId: "2", keyId: "key", isBulk: true });
      now += 150;
      (slot as ConcurrencySlot).release();
    }
    expect(await runningAfterASlowOne(limits)).toBe(0);
  });

  test("do not pause if all requests were slow", async () => {
    const limits = concurrency();
    await others(limits, 50, 40);
    expect(await runningAfterASlowOne(limits)).toBe(2);
  });

  test("pause although a few requests were slow, or many of them a second ago, or too few to compare with", async () => {
    const mixed = concurrency();
    await others(mixed, 20, 10);
    await others(mixed, 14, 400);
    expect(await runningAfterASlowOne(mixed)).toBe(0);
    const outdated = concurrency();
    await others(outdated, 50, 40);
    now += 1_001;
    expect(await runningAfterASlowOne(outdated)).toBe(0);
    const few = concurrency();
    await others(few, 7, 40);
    expect(await runningAfterASlowOne(few)).toBe(0);
  });
});
