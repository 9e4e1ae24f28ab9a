import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import { askedAgain, wasNotTaken } from "../../mixins/bus/asked-again.middleware.ts";
import { KEPT_MS } from "../../mixins/bus/lost-calls.ts";
import { takenCalls } from "../../mixins/bus/taken-calls.middleware.ts";
import { serve } from "../../mixins/actions/contract-action.ts";
import { brokerOptions } from "../../moleculer.config.ts";
import { action } from "../../services/contracts/contract.ts";
import { until } from "../real-parts/until.ts";

const read = action<object, number>({ name: "thing.read", keys: "guild read", params: {}, idempotent: true });
const set = action<object, number>({ name: "thing.set", keys: "guild write", params: {}, idempotent: true });
const UNHEARD_MS = 50;

/** What the transporter holds, to lose it as a killed process does, or what it sends. */
interface Connected {
  readonly transit: {
    readonly tx: {
      readonly client: { close(): Promise<void> };
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

function replicasKnownTo({ registry }: ServiceBroker): number {
  const { actions } = registry as unknown as { actions: { get(name: string): { endpoints: unknown[] } } };
  return actions.get(set.name).endpoints.length;
}

describe("a call to another process", () => {
  const namespace = randomUUID();
  let passed = 0;
  const clock = () => performance.now() + passed;
  const newBroker = (nodeId: string) => {
    const options = brokerOptions({ nodeId, natsUrl: process.env["TEST_NATS_URL"], logLevel: "fatal" });
    const middlewares = [takenCalls(clock), askedAgain(UNHEARD_MS)];
    const tracking = { enabled: false };
    return new ServiceBroker({ ...options, namespace, middlewares, tracking, requestTimeout: 2_000 });
  };
  const caller = newBroker("caller.test");
  const callee = newBroker("callee.test");
  const lost = Promise.withResolvers<number>();
  let calls = 0;
  let handle: (call: number) => Promise<number>;
  const handler = () => handle((calls += 1));
  const thing: ServiceSchema = { name: "thing", actions: { ...serve(read, handler), ...serve(set, handler) } };

  beforeAll(async () => {
    callee.createService(thing);
    await Promise.all([caller.start(), callee.start()]);
    await caller.waitForServices("thing");
    // Those that have just started can't know what came before.
    passed = KEPT_MS;
  });
  afterAll(async () => {
    lost.resolve(0);
    await Promise.all([caller, callee].map((broker) => broker.stop()));
  });
  beforeEach(() => {
    calls = 0;
  });

  test("is asked once more when it is a read and its answer was lost", async () => {
    handle = (call) => (call === 1 ? lost.promise : Promise.resolve(call));
    await expect(caller.call(read.name)).resolves.toBe(2);
  });

  test("is never asked again when it changes something: it may have been done", async () => {
    handle = () => lost.promise;
    await expect(caller.call(set.name)).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    expect(calls).toBe(1);
  });

  test("is answered once more when it changes something and its answer was lost; it is done once", async () => {
    handle = (call) => Promise.resolve(call);
    loseNext(callee, "RES.");
    await expect(caller.call(set.name)).resolves.toBe(1);
    expect(calls).toBe(1);
  });

  test("is made again when it never came, which every replica says", async () => {
    handle = (call) => Promise.resolve(call);
    loseNext(caller, "REQB.thing.");
    await expect(caller.call(set.name)).resolves.toBe(1);
    expect(calls).toBe(1);
  });

  test("is not made again when a replica that may have done it says nothing", async () => {
    handle = (call) => Promise.resolve(call);
    const mute = newBroker("mute.test");
    mute.createService({ name: "thing", actions: { ...serve(read, handler), ...serve(set, handler) } });
    await mute.start();
    await until(() => replicasKnownTo(caller) === 2, "the second replica is known");
    loseNext(caller, "REQB.thing.");
    const call = caller.call(set.name);
    await (mute as unknown as Connected).transit.tx.client.close();
    await expect(call).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    expect(calls).toBe(0);
    await mute.stop();
  });

  test("is not remembered once it is answered or given up", async () => {
    const pending = () => (caller.transit as unknown as { pendingRequests: Map<string, unknown> }).pendingRequests.size;
    await until(() => pending() === 0, "nothing is remembered");
    expect(pending()).toBe(0);
  });

  test("that nobody takes is offered until somebody is there, a write too, and done once", async () => {
    handle = (call) => Promise.resolve(call);
    await (callee as unknown as Connected).transit.tx.client.close();
    // Until the server has seen it, it still hands out what nobody reads any more.
    const isOffered = () => caller.call(read.name).catch((error: unknown) => wasNotTaken(error));
    await until(async () => (await isOffered()) === true, "the server knows that nobody is there");
    calls = 0;
    const offered = caller.call(set.name);
    const successor = newBroker("successor.test");
    successor.createService(thing);
    await successor.start();
    await expect(offered).resolves.toBe(1);
    expect(calls).toBe(1);
    await successor.stop();
  });
});
