import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import { natsTransporterOf } from "../../mixins/bus/nats-transporter.ts";
import { lostCallRetry } from "../../mixins/bus/lost-call-retry.middleware.ts";
import { wasNotReceived } from "../../mixins/bus/retry-policy.ts";
import { serve } from "../../mixins/actions/contract-action.ts";
import { brokerOptions } from "../../moleculer.config.ts";
import { action } from "../../services/contracts/contract.ts";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { until } from "../real-parts/until.ts";

const read = action<object, number>({ name: "thing.read", keys: "guild read", params: {}, idempotent: true });
const set = action<object, number>({ name: "thing.set", keys: "guild write", params: {}, idempotent: true });
const make = action<object, number>({ name: "thing.make", keys: "guild write", params: {}, idempotent: false });
const mortalSet = action<object, number>({ ...set, name: "mortal.set" });
const UNHEARD_MS = 50;

/** What the transporter sends. */
interface Connected {
  readonly transit: {
    readonly tx: {
      send(topic: string, ...rest: unknown[]): Promise<void>;
    };
  };
}

/** The bus loses the next message of the kind. */
function loseNext(broker: ServiceBroker, kind: "REQB.thing." | "RES."): void {
  const { tx } = (broker as unknown as Connected).transit;
  const send = tx.send.bind(tx);
  tx.send = async (topic, ...rest) => {
    if (!topic.includes(kind)) return send(topic, ...rest);
    tx.send = send;
  };
}

/** How many calls wait for their answers. */
function sent({ transit }: ServiceBroker): number {
  return transit?.pendingRequests.size ?? 0;
}

describe("a call to another process", () => {
  const namespace = randomUUID();
  const newBroker = (nodeId: string) => {
    const options = brokerOptions({ nodeId, natsUrl: process.env["TEST_NATS_URL"], logLevel: "fatal" });
    const middlewares = [lostCallRetry(UNHEARD_MS)];
    const tracking = { enabled: false };
    return new ServiceBroker({ ...options, namespace, middlewares, tracking, requestTimeout: 2_000 });
  };
  const caller = newBroker("caller.test");
  const callee = newBroker("callee.test");
  let lost = Promise.withResolvers<number>();
  let calls = 0;
  let handle: (call: number) => Promise<number>;
  const handler = () => handle((calls += 1));
  const actions = { ...serve(read, handler), ...serve(set, handler), ...serve(make, handler), ping: () => true };
  const thing: ServiceSchema = { name: "thing", actions };
  /** Sets as the gateway does: every try has the write's id. */
  const setOnce = () => caller.call(set.name, {}, { meta: { writeId: newWriteId() } });

  beforeAll(async () => {
    callee.createService(thing);
    await Promise.all([caller.start(), callee.start()]);
    await caller.waitForServices("thing");
  });
  afterAll(() => Promise.all([caller, callee].map((broker) => broker.stop())));
  beforeEach(() => {
    calls = 0;
    lost = Promise.withResolvers();
  });
  /** Every answer of the test has been sent: the next test's is the next. */
  async function settle(): Promise<void> {
    lost.resolve(0);
    handle = (call) => Promise.resolve(call);
    await caller.call(make.name);
  }

  test("is asked again when it is a read and its answer was lost", async () => {
    handle = (call) => (call === 1 ? lost.promise : Promise.resolve(call));
    await expect(caller.call(read.name)).resolves.toBe(2);
    await settle();
  });

  test("is asked once more at most, and of a hundred that are not answered fifty are asked again", async () => {
    handle = () => lost.promise;
    const asked = await Promise.allSettled(Array.from({ length: 100 }, () => caller.call(read.name)));
    expect(asked.filter(({ status }) => status === "fulfilled")).toEqual([]);
    // Each call adds a tenth to those that may be.
    expect(calls).toBeGreaterThanOrEqual(150);
    expect(calls).toBeLessThan(165);
    await settle();
  });

  test.each([
    ["not done once under its id", make.name, newWriteId()],
    ["a write without an id", set.name, undefined],
  ])("is never asked again when it is %s: it may have been done", async (_what, name, writeId) => {
    handle = () => lost.promise;
    await expect(caller.call(name, {}, { meta: { writeId } })).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    expect(calls).toBe(1);
    await settle();
  });

  test("is asked again when it changes something and its answer was lost", async () => {
    handle = (call) => Promise.resolve(call);
    loseNext(callee, "RES.");
    await expect(setOnce()).resolves.toBe(2);
  });

  test("is asked again when it changes something and never came", async () => {
    handle = (call) => Promise.resolve(call);
    loseNext(caller, "REQB.thing.");
    await expect(setOnce()).resolves.toBe(1);
    expect(calls).toBe(1);
  });

  test("has the outcome of the try that is under way when it is asked again: it is done once", async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    handle = () => promise;
    const before = sent(caller);
    const [first, second] = [setOnce(), setOnce()];
    await until(() => sent(caller) === before + 4, "each was asked again");
    // What was sent before it has arrived before it.
    await caller.call("thing.ping");
    resolve(7);
    await expect(Promise.all([first, second])).resolves.toEqual([7, 7]);
    expect(calls).toBe(2);
  });

  test("is not remembered once it is answered or given up", async () => {
    await until(() => sent(caller) === 0, "nothing is remembered");
    expect(sent(caller)).toBe(0);
  });

  test("that nobody takes is offered until somebody is there, a write too, and done once", async () => {
    handle = (call) => Promise.resolve(call);
    await natsTransporterOf(callee)?.loseConnection();
    // Until the server has seen it, it still hands out what nobody reads any more.
    const isOffered = () => caller.call(read.name).catch((error: unknown) => wasNotReceived(error));
    await until(async () => (await isOffered()) === true, "the server knows that nobody is there");
    calls = 0;
    const offered = setOnce();
    const successor = newBroker("successor.test");
    successor.createService(thing);
    await successor.start();
    await expect(offered).resolves.toBe(1);
    expect(calls).toBe(1);
    await successor.stop();
  });

  test("that changes something and was taken is not said not to be taken when nobody is there any more", async () => {
    const mortal = newBroker("mortal.test");
    mortal.createService({ name: "mortal", actions: serve(mortalSet, handler) });
    await mortal.start();
    await caller.waitForServices("mortal");
    handle = () => lost.promise;
    const call = caller.call(mortalSet.name, {}, { meta: { writeId: newWriteId() } });
    await until(() => calls === 1, "it is taken");
    await natsTransporterOf(mortal)?.loseConnection();
    // The second try is offered for a second and a half, and nobody takes it.
    await expect(call).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    lost.resolve(0);
    await mortal.stop();
  });
});
