import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Context, ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { action } from "../../services/contracts/contract.ts";
import { refuse } from "../../services/contracts/errors.ts";
import { newWriteId } from "../mongo/write-id.ts";
import { asError, type CallContext, serve } from "../actions/contract-action.ts";
import { retries } from "./retries.middleware.ts";

const SHORTER_THAN_ITS_PAUSE_MS = 40;
const set = action<object, number>({ name: "thing.set", keys: "guild write", params: {}, idempotent: true });
const make = action<object, number>({ name: "thing.make", keys: "guild write", params: {}, idempotent: false });

describe("a call whose service is temporarily unavailable", () => {
  let broker: ServiceBroker;
  let calls: number;
  let handle: (call: number) => Promise<number>;
  let timeouts: (number | null | undefined)[];
  const handler = (_params: object, { options }: CallContext<object>) => {
    timeouts.push(options.timeout);
    return attempt();
  };
  const attempt = () => handle((calls += 1)).then((result) => (result === 0 ? refuse("UNAVAILABLE") : result));

  beforeEach(async () => {
    calls = 0;
    timeouts = [];
    const options = brokerOptions({ nodeId: "retried.test", natsUrl: undefined, logLevel: "fatal" });
    broker = new ServiceBroker({ ...options, tracking: { enabled: false } });
    broker.createService({ name: "thing", actions: { ...serve(set, handler), ...serve(make, handler) } });
    await broker.start();
  });
  afterEach(() => broker.stop());

  const asWrite = () => ({ meta: { writeId: newWriteId() } });
  const setOnce = (options: object = {}) => broker.call(set.name, {}, { ...asWrite(), ...options });

  test("is retried if it may be retried", async () => {
    handle = async (call) => (call < 3 ? 0 : call);
    await expect(setOnce()).resolves.toBe(3);
  });

  test("is made at most three times", async () => {
    handle = async () => 0;
    await expect(setOnce()).rejects.toMatchObject({ type: "UNAVAILABLE" });
    expect(calls).toBe(3);
  });

  test("is made once if it may not be retried, has no write id, or its caller wants no retries", async () => {
    handle = async () => 0;
    await expect(broker.call(make.name, {}, asWrite())).rejects.toMatchObject({ type: "UNAVAILABLE" });
    await expect(broker.call(set.name)).rejects.toMatchObject({ type: "UNAVAILABLE" });
    await expect(setOnce({ retries: 0 })).rejects.toMatchObject({ type: "UNAVAILABLE" });
    expect(calls).toBe(3);
  });

  test.each(["UNAVAILABLE", "TOO_MANY_REQUESTS"] as const)(
    "and whose first attempt may have been performed does not end with the error of a later attempt that was not started: %s",
    async (later) => {
      handle = async (call) => {
        throw asError(refuse(call === 1 ? "OUTCOME_UNKNOWN" : later));
      };
      await expect(setOnce()).rejects.toMatchObject({ type: "OUTCOME_UNKNOWN" });
      expect(calls).toBe(later === "UNAVAILABLE" ? 3 : 2);
    },
  );

  test("gives each attempt only the time that is left", async () => {
    handle = async (call) => (call < 3 ? 0 : call);
    await setOnce({ timeout: 1_000 });
    const [first = 0, second = 0, third = 0] = timeouts as number[];
    expect(first).toBe(1_000);
    expect(second).toBeLessThan(first);
    expect(third).toBeLessThan(second);
  });

  test("ends with the refusal of the write by a later attempt", async () => {
    handle = async (call) => {
      if (call === 1) throw asError(refuse("OUTCOME_UNKNOWN"));
      throw asError(refuse("EVENT_NOT_FOUND"));
    };
    await expect(setOnce()).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    expect(calls).toBe(2);
  });

  test("reports the time before the attempt that responded, and 0 for the first one", async () => {
    const reported: number[] = [];
    const onResponse = (msBeforeAttempt: number) => void reported.push(msBeforeAttempt);
    handle = async (call) => (call < 3 ? 0 : call);
    await setOnce({ onResponse });
    await setOnce({ onResponse });
    // Two pauses of 50 and 100 ms; a timer may be a millisecond early.
    expect(reported).toEqual([expect.any(Number), 0]);
    expect(reported[0]).toBeGreaterThanOrEqual(148);
  });

  test("is not retried after its timeout, when a later write could have overtaken it", async () => {
    const refuseIt = () => ((calls += 1), Promise.reject(asError(refuse("UNAVAILABLE"))));
    const made = retries().remoteAction?.call(broker, refuseIt, { isRead: true } as never);
    const context = { broker, meta: {}, options: { timeout: SHORTER_THAN_ITS_PAUSE_MS } } as Context;
    await expect(made?.call(undefined as never, context)).rejects.toMatchObject({ type: "UNAVAILABLE" });
    expect(calls).toBe(1);
  });
});
