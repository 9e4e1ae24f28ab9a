import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Health } from "../contracts/health.contract.ts";
import {
  SUBSCRIBED_SILENCE_MS,
  ServiceUnavailable,
  ServiceHealth,
  UNSUBSCRIBED_SILENCE_MS,
  TICK_INTERVAL_MS,
} from "./service-health.ts";

const SERVICE = "dispatch";

describe("the watch over the services", () => {
  let now = 0;
  let asked = 0;
  let answer: () => Promise<Health>;
  let watch: ServiceHealth;

  beforeEach(() => {
    now = 1_000;
    asked = 0;
    answer = async () => ({ database: true });
    watch = new ServiceHealth(
      [SERVICE],
      async () => ((asked += 1), answer()),
      () => now,
    );
  });

  /** Lets time pass in the pace of the ticks. */
  async function pass(ms: number): Promise<void> {
    for (const end = now + ms; now < end;) {
      now += TICK_INTERVAL_MS;
      watch.tick();
      await settled();
    }
  }

  const call = () => watch.whileAvailable([SERVICE], async () => "done");

  test("a service that was never seen is not there, and calls to it are refused", async () => {
    expect(watch.missing()).toEqual([SERVICE]);
    await expect(call()).rejects.toBeInstanceOf(ServiceUnavailable);
  });

  test("one that answers is there, and is asked twice a second", async () => {
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([]);
    await expect(call()).resolves.toBe("done");
    asked = 0;
    await pass(2_000);
    expect(asked).toBe(4);
  });

  test("a database that does not answer is told apart from a service that does not", async () => {
    answer = async () => ({ database: false });
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([`database of ${SERVICE}`]);
    await expect(call()).resolves.toBe("done");
  });

  test("one that nobody answers for is gone after 1.8 s", async () => {
    await pass(TICK_INTERVAL_MS);
    answer = async () => {
      throw new ServiceUnavailable(false);
    };
    await pass(UNSUBSCRIBED_SILENCE_MS);
    expect(watch.missing()).toEqual([]);
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
  });

  test("one that is silent for 4 s is gone: calls in flight are given up, new ones refused", async () => {
    await pass(TICK_INTERVAL_MS);
    const inFlight = watch.whileAvailable([SERVICE], hang);
    const outcome = inFlight.catch((error: unknown) => error);
    answer = hang;
    await pass(SUBSCRIBED_SILENCE_MS);
    expect(watch.missing()).toEqual([]);
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
    await expect(outcome).resolves.toBeInstanceOf(ServiceUnavailable);
    await expect(call()).rejects.toBeInstanceOf(ServiceUnavailable);
  });

  test("one that answers calls is there, however long its health takes: it is busy, and not gone", async () => {
    await pass(TICK_INTERVAL_MS);
    answer = hang;
    for (let seconds = 0; seconds < 20; seconds += 1) {
      await pass(1_000);
      await expect(call()).resolves.toBe("done");
    }
    expect(watch.missing()).toEqual([]);
    await pass(SUBSCRIBED_SILENCE_MS + TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
  });

  test("one that fails to answer at once is asked at every tick until it is back", async () => {
    answer = async () => {
      throw new Error("not found");
    };
    await pass(TICK_INTERVAL_MS * 5);
    expect(asked).toBe(5);
    answer = async () => ({ database: true });
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([]);
  });

  test("a pause of this process is not a silence of theirs", async () => {
    await pass(TICK_INTERVAL_MS);
    answer = hang;
    now += 60_000;
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([]);
    await pass(SUBSCRIBED_SILENCE_MS + TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
  });

  test("a call that needs two services is refused when either is gone", async () => {
    const ask = async (name: string) => (name === "dispatch" ? { database: true } : hang());
    watch = new ServiceHealth(["dispatch", "announcements"], ask, () => now);
    await pass(TICK_INTERVAL_MS);
    await expect(watch.whileAvailable(["dispatch"], async () => "done")).resolves.toBe("done");
    const both = watch.whileAvailable(["dispatch", "announcements"], async () => "done");
    await expect(both).rejects.toBeInstanceOf(ServiceUnavailable);
  });

  test("a call's own error is passed on", async () => {
    await pass(TICK_INTERVAL_MS);
    const failing = watch.whileAvailable([SERVICE], async () => {
      throw new RangeError("its own");
    });
    await expect(failing).rejects.toBeInstanceOf(RangeError);
  });
});

const hang = () => new Promise<never>(() => undefined);

/** Everything that was resolved has had its turn. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
