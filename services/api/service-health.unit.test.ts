import { beforeEach, describe, expect, test } from "@jest/globals";
import { asError } from "../../mixins/actions/contract-action.ts";
import { refuse } from "../contracts/errors.ts";
import type { Health } from "../contracts/health.contract.ts";
import {
  type HealthChange,
  SUBSCRIBED_SILENCE_MS,
  ServiceUnavailable,
  ServiceHealth,
  UNSUBSCRIBED_SILENCE_MS,
  TICK_INTERVAL_MS,
} from "./service-health.ts";

const SERVICE = "dispatch";

describe("the health of a service", () => {
  let now = 0;
  let checks = 0;
  let respond: (timeoutMs: number) => Promise<Health>;
  let watch: ServiceHealth;
  let changes: HealthChange[];

  beforeEach(() => {
    now = 1_000;
    checks = 0;
    changes = [];
    respond = async () => ({ database: true });
    watch = new ServiceHealth(
      [SERVICE],
      async (_service, timeoutMs) => ((checks += 1), respond(timeoutMs)),
      () => now,
      (change) => changes.push(change),
    );
  });

  /** Advances the time in steps of one tick. */
  async function pass(ms: number): Promise<void> {
    for (const end = now + ms; now < end;) {
      now += TICK_INTERVAL_MS;
      watch.tick();
      await settled();
    }
  }

  const call = () => watch.whileAvailable([SERVICE], async () => "done");

  test("is unavailable before its first health check, and calls are refused", async () => {
    expect(watch.missing()).toEqual([SERVICE]);
    await expect(call()).rejects.toBeInstanceOf(ServiceUnavailable);
  });

  test("is available after a response, and is checked twice a second", async () => {
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([]);
    await expect(call()).resolves.toBe("done");
    checks = 0;
    await pass(2_000);
    expect(checks).toBe(4);
  });

  test("distinguishes an unavailable database from an unavailable service", async () => {
    respond = async () => ({ database: false });
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([`database of ${SERVICE}`]);
    await expect(call()).resolves.toBe("done");
  });

  test("is unavailable after 1.8 s without subscribers", async () => {
    await pass(TICK_INTERVAL_MS);
    respond = async () => {
      throw new ServiceUnavailable(false);
    };
    await pass(UNSUBSCRIBED_SILENCE_MS);
    expect(watch.missing()).toEqual([]);
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
  });

  test("is unavailable after 4 s of silence: calls in flight are aborted, new ones are refused", async () => {
    await pass(TICK_INTERVAL_MS);
    const inFlight = watch.whileAvailable([SERVICE], hang);
    const outcome = inFlight.catch((error: unknown) => error);
    respond = hang;
    await pass(SUBSCRIBED_SILENCE_MS);
    expect(watch.missing()).toEqual([]);
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
    await expect(outcome).resolves.toBeInstanceOf(ServiceUnavailable);
    await expect(call()).rejects.toBeInstanceOf(ServiceUnavailable);
  });

  test("is available if the service responds to calls, even if its health check is late", async () => {
    await pass(TICK_INTERVAL_MS);
    respond = hang;
    for (let seconds = 0; seconds < 20; seconds += 1) {
      await pass(1_000);
      await expect(call()).resolves.toBe("done");
    }
    expect(watch.missing()).toEqual([]);
    await pass(SUBSCRIBED_SILENCE_MS + TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
  });

  test("is available if the service refuses calls, but not if calls only fail, while its health check is late", async () => {
    await pass(TICK_INTERVAL_MS);
    respond = hang;
    const errorOf = async (error: Error): Promise<unknown> => {
      const failing = async () => {
        throw error;
      };
      return watch.whileAvailable([SERVICE], failing).catch((thrown: unknown) => thrown);
    };
    const refused = asError(refuse("EVENT_NOT_FOUND"));
    for (let seconds = 0; seconds < 20; seconds += 1) {
      await pass(1_000);
      expect(await errorOf(refused)).toBe(refused);
    }
    expect(watch.missing()).toEqual([]);
    for (let seconds = 0; seconds < 4; seconds += 1) {
      await pass(1_000);
      await errorOf(new Error("no response in time"));
    }
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
  });

  test("is checked at every tick while the service fails immediately", async () => {
    respond = async () => {
      throw new Error("not found");
    };
    await pass(TICK_INTERVAL_MS * 5);
    expect(checks).toBe(5);
    respond = async () => ({ database: true });
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([]);
  });

  test("is available if its responses to health checks are three seconds late", async () => {
    await pass(TICK_INTERVAL_MS);
    const lateMs = 3_000;
    const responses: { readonly at: number; readonly send: () => void }[] = [];
    respond = (timeoutMs) =>
      new Promise((resolve) => {
        if (timeoutMs > lateMs) responses.push({ at: now + lateMs, send: () => resolve({ database: true }) });
      });
    for (let ticks = 0; ticks < (3 * SUBSCRIBED_SILENCE_MS) / TICK_INTERVAL_MS; ticks += 1) {
      await pass(TICK_INTERVAL_MS);
      for (const { send } of responses.filter(({ at }) => at <= now)) send();
    }
    expect(watch.missing()).toEqual([]);
  });

  test("does not change because of a pause of this process", async () => {
    await pass(TICK_INTERVAL_MS);
    respond = hang;
    now += 60_000;
    await pass(TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([]);
    await pass(SUBSCRIBED_SILENCE_MS + TICK_INTERVAL_MS);
    expect(watch.missing()).toEqual([SERVICE]);
  });

  test("reports that a service became unavailable, and that it responds again, with its silence", async () => {
    await pass(TICK_INTERVAL_MS);
    expect(changes).toEqual([]);
    respond = hang;
    await pass(2 * SUBSCRIBED_SILENCE_MS);
    const silentMs = SUBSCRIBED_SILENCE_MS + TICK_INTERVAL_MS;
    expect(changes).toEqual([{ service: SERVICE, isAvailable: false, silentMs }]);
    respond = async () => ({ database: true });
    await pass(1_000);
    expect(changes.slice(1)).toEqual([{ service: SERVICE, isAvailable: true, silentMs: expect.any(Number) }]);
    expect(changes[1]?.silentMs).toBeGreaterThan(2 * SUBSCRIBED_SILENCE_MS);
  });

  test("refuses a call that needs two services if one of them is unavailable", async () => {
    const ask = async (name: string) => (name === "dispatch" ? { database: true } : hang());
    watch = new ServiceHealth(
      ["dispatch", "announcements"],
      ask,
      () => now,
      () => undefined,
    );
    await pass(TICK_INTERVAL_MS);
    await expect(watch.whileAvailable(["dispatch"], async () => "done")).resolves.toBe("done");
    const both = watch.whileAvailable(["dispatch", "announcements"], async () => "done");
    await expect(both).rejects.toBeInstanceOf(ServiceUnavailable);
  });

  test("passes on the error of a call", async () => {
    await pass(TICK_INTERVAL_MS);
    const failing = watch.whileAvailable([SERVICE], async () => {
      throw new RangeError("its own");
    });
    await expect(failing).rejects.toBeInstanceOf(RangeError);
  });
});

const hang = () => new Promise<never>(() => undefined);

/** Waits until resolved promises have been handled. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
