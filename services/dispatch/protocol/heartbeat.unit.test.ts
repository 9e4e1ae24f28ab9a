import { describe, expect, test } from "@jest/globals";
import { newMemoryPostStore } from "../../../test/lab/simulator/memory-post-store.ts";
import { newHeartbeat } from "./heartbeat.ts";
import { newLifecycle } from "./lifecycle.ts";
import type { Ports } from "./ports.ts";
import { STANDARD_TIMING } from "./timing.ts";

const START = 1_000_000;
const SECOND = 1_000;

/** Timers that fire when the test lets time pass. */
function newTimers() {
  const pass = async (ms: number) => {
    const end = now + ms;
    for (;;) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      const [next] = timers.toSorted((one, other) => one.at - other.at);
      if (next === undefined || next.at > end) break;
      timers = timers.filter((timer) => timer !== next);
      now = Math.max(now, next.at);
      next.wake();
    }
    now = end;
  };
  let timers: { readonly at: number; readonly wake: () => void }[] = [];
  let now = START;
  return {
    now: () => now,
    after: (ms: number, wake: () => void) => void timers.push({ at: now + ms, wake }),
    pass,
  };
}

/** A database, and replicas that start, stop, freeze and lose the database. */
function world() {
  const { now, after, pass } = newTimers();
  const store = newMemoryPostStore(now);
  const state = { isDatabaseDown: false };
  const begin = (frozen = { until: 0 }) => {
    const later = (ms: number, wake: () => void) =>
      after(ms, () => (now() < frozen.until ? later(frozen.until - now(), wake) : wake()));
    const ports = {
      clock: { now },
      timers: { after: (ms: number, wake: () => void) => (later(ms, wake), () => undefined) },
      reports: { operationFailed: () => undefined },
      store: {
        recordHeartbeat: (...args: Parameters<typeof store.recordHeartbeat>) =>
          state.isDatabaseDown ? Promise.reject(new Error("down")) : store.recordHeartbeat(...args),
      },
    } as unknown as Ports;
    const lifecycle = newLifecycle(ports);
    const heartbeat = newHeartbeat(ports, STANDARD_TIMING, lifecycle);
    void heartbeat.start();
    return { heartbeat, stop: () => lifecycle.stop() };
  };
  return { begin, pass, state };
}

describe("the heartbeat of dispatch", () => {
  test("shows a returning replica when no replica ran", async () => {
    const { begin, pass } = world();
    const first = begin();
    await pass(10 * SECOND);
    expect(first.heartbeat.outages()).toEqual([]);
    first.stop();
    await pass(60 * SECOND);
    const { heartbeat } = begin();
    await pass(SECOND);
    expect(heartbeat.outages()).toEqual([
      { cause: "DISPATCH_DOWN", from: expect.any(Number), until: START + 70 * SECOND },
    ]);
    const [{ from } = { from: 0 }] = heartbeat.outages();
    expect(START + 10 * SECOND - from).toBeLessThanOrEqual(STANDARD_TIMING.heartbeatMs);
  });

  test("has no gap while another replica runs, and shows a gap to every replica", async () => {
    const { begin, pass } = world();
    const [one, other] = [begin(), begin()];
    await pass(5 * SECOND);
    one.stop();
    await pass(20 * SECOND);
    const second = begin();
    await pass(2 * SECOND);
    expect([other.heartbeat.outages(), second.heartbeat.outages()]).toEqual([[], []]);
    second.stop();
    other.stop();
    await pass(20 * SECOND);
    const [third, fourth] = [begin(), begin()];
    await pass(2 * SECOND);
    expect(third.heartbeat.outages()).toHaveLength(1);
    expect(fourth.heartbeat.outages()).toEqual(third.heartbeat.outages());
  });

  test("counts a gap in which a replica ran as an outage of the database", async () => {
    const { begin, pass, state } = world();
    const { heartbeat } = begin();
    await pass(5 * SECOND);
    state.isDatabaseDown = true;
    await pass(10 * SECOND);
    state.isDatabaseDown = false;
    await pass(2 * SECOND);
    expect(heartbeat.outages()).toMatchObject([{ cause: "DATABASE" }]);
  });

  test("counts a stall of the process as a stall, not as an outage of the database", async () => {
    const { begin, pass } = world();
    const frozen = { until: 0 };
    const { heartbeat } = begin(frozen);
    await pass(5 * SECOND);
    frozen.until = START + 15 * SECOND;
    await pass(12 * SECOND);
    expect(heartbeat.outages().map(({ cause }) => cause)).toEqual(["DISPATCH_DOWN", "PROCESS_STALLED"]);
  });

  test("stores the latest twenty outages", async () => {
    const { begin, pass } = world();
    for (let at = 0; at < 30; at += 1) {
      const { stop } = begin();
      await pass(SECOND);
      stop();
      await pass(5 * SECOND);
    }
    const { heartbeat } = begin();
    await pass(SECOND);
    expect(heartbeat.outages()).toHaveLength(20);
  });
});
