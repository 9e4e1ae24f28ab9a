import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type CallingOptions, ServiceBroker, type ServiceSchema } from "moleculer";
import { natsTransporterOf, NatsTransporter } from "../../mixins/bus/nats-transporter.ts";
import { retries } from "../../mixins/bus/retries.middleware.ts";
import { classify, RETRY_POLICY } from "../../mixins/bus/retry-policy.ts";
import { serve } from "../../mixins/actions/contract-action.ts";
import { brokerOptions } from "../../moleculer.config.ts";
import { action } from "../../services/contracts/contract.ts";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { until } from "../harness/until.ts";

const read = action<object, number>({ name: "thing.read", keys: "guild read", params: {}, idempotent: true });
const set = action<object, number>({ name: "thing.set", keys: "guild write", params: {}, idempotent: true });
const make = action<object, number>({ name: "thing.make", keys: "guild write", params: {}, idempotent: false });
const mortalSet = action<object, number>({ ...set, name: "mortal.set" });
const NO_ANSWER_MS = 50;
const TIMEOUT_MS = 2_000;

type Lost = "REQB.thing." | "RES.";

/** A bus that counts requests, and loses the next messages of a kind. */
class LossyTransporter extends NatsTransporter {
  requests = 0;
  readonly #lost: Lost[] = [];

  loseNext(kind: Lost, messages = 1): void {
    for (let lost = 0; lost < messages; lost += 1) this.#lost.push(kind);
  }

  override async send(...message: Parameters<NatsTransporter["send"]>): Promise<void> {
    const [subject] = message;
    if (subject.includes("REQB.")) this.requests += 1;
    const lost = this.#lost.findIndex((kind) => subject.includes(kind));
    if (lost === -1) return super.send(...message);
    this.#lost.splice(lost, 1);
  }
}

function transporterOf(broker: ServiceBroker): LossyTransporter {
  const transporter = natsTransporterOf(broker);
  if (!(transporter instanceof LossyTransporter)) throw new Error("another transporter");
  return transporter;
}

/** Number of calls that wait for their responses. */
function pendingCalls({ transit }: ServiceBroker): number | undefined {
  return transit?.pendingRequests.size;
}

describe("a call to another process", () => {
  const namespace = randomUUID();
  const newBroker = (nodeId: string, noResponseMs = NO_ANSWER_MS) => {
    const url = process.env["TEST_NATS_URL"] ?? "";
    return new ServiceBroker({
      ...brokerOptions({ nodeId, natsUrl: url, logLevel: "fatal" }),
      namespace,
      transporter: new LossyTransporter({ url, name: nodeId }),
      middlewares: [retries({ noResponseMs })],
      tracking: { enabled: false },
      requestTimeout: TIMEOUT_MS,
    });
  };
  const caller = newBroker("caller.test");
  const callee = newBroker("callee.test");
  let lost = Promise.withResolvers<number>();
  let calls = 0;
  let handle: (call: number) => Promise<number>;
  const handler = () => handle((calls += 1));
  const actions = { ...serve(read, handler), ...serve(set, handler), ...serve(make, handler), ping: () => true };
  const thing: ServiceSchema = { name: "thing", actions };
  /** Sets as the gateway does: every attempt has the write's id. */
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
  /** Every response of the test has been sent: the next test's is the next. */
  async function settle(): Promise<void> {
    lost.resolve(0);
    handle = (call) => Promise.resolve(call);
    await caller.call(make.name);
  }

  test("is retried if it is a read and its response was lost", async () => {
    handle = (call) => (call === 1 ? lost.promise : Promise.resolve(call));
    await expect(caller.call(read.name)).resolves.toBe(2);
    await settle();
  });

  test("reports the time before the attempt that responded: 0 if the first one was only slow", async () => {
    const reported: number[] = [];
    const onResponse = (msBeforeAttempt: number) => void reported.push(msBeforeAttempt);
    const readReported = () => caller.call(read.name, {}, { onResponse } as CallingOptions);
    handle = (call) => (call === 1 ? lost.promise : Promise.resolve(call));
    await readReported();
    expect(reported).toEqual([expect.any(Number)]);
    // A timer may be a millisecond early.
    expect(reported[0]).toBeGreaterThanOrEqual(NO_ANSWER_MS - 1);
    calls = 0;
    const first = Promise.withResolvers<number>();
    handle = (call) => (call === 1 ? first.promise : lost.promise);
    const slow = readReported();
    await until(() => calls > 1, "it is retried");
    first.resolve(1);
    await slow;
    expect(reported.slice(1)).toEqual([0]);
    await settle();
  });

  test("is retried within a budget: of a hundred reads without a response, fifty", async () => {
    handle = () => lost.promise;
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => caller.call(read.name)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toEqual([]);
    // Each call adds a tenth of a retry to the budget.
    expect(calls).toBeGreaterThanOrEqual(150);
    expect(calls).toBeLessThan(165);
    await settle();
  });

  test.each([
    ["not performed once under its id", make.name, newWriteId()],
    ["a write without an id", set.name, undefined],
  ])("is never retried if it is %s: it may have been performed", async (_what, name, writeId) => {
    handle = () => lost.promise;
    const before = transporterOf(caller).requests;
    await expect(caller.call(name, {}, { meta: { writeId } })).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    expect(transporterOf(caller).requests).toBe(before + 1);
    await settle();
  });

  test("is retried if it is a write and its response was lost", async () => {
    handle = (call) => Promise.resolve(call);
    transporterOf(callee).loseNext("RES.");
    await expect(setOnce()).resolves.toBe(2);
    await settle();
  });

  test("is retried if it is a write and its request was lost", async () => {
    handle = (call) => Promise.resolve(call);
    transporterOf(caller).loseNext("REQB.thing.");
    await expect(setOnce()).resolves.toBe(1);
    await settle();
  });

  test("has the outcome of the running attempt if it is retried meanwhile: it is performed once", async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    handle = () => promise;
    const before = pendingCalls(caller) ?? 0;
    const [first, second] = [setOnce(), setOnce()];
    await until(() => pendingCalls(caller) === before + 4, "each was retried");
    // NATS delivers in order: when this call is answered, the owner has received both attempts.
    await caller.call("thing.ping");
    // A busy machine may send a further attempt after the response.
    expect(calls).toBe(2);
    resolve(7);
    await expect(Promise.all([first, second])).resolves.toEqual([7, 7]);
    await settle();
  });

  test("stays in memory neither after its response nor after its timeout", async () => {
    transporterOf(caller).loseNext("REQB.thing.", 1 + RETRY_POLICY.maxRetries);
    await expect(setOnce()).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    await until(() => pendingCalls(caller) === 0, "nothing is in memory");
    expect(pendingCalls(caller)).toBe(0);
  });

  test("is not retried if its caller wants no retries", async () => {
    transporterOf(callee).loseNext("RES.");
    const before = transporterOf(caller).requests;
    const options = { meta: { writeId: newWriteId() }, retries: 0, timeout: 10 * NO_ANSWER_MS };
    await expect(caller.call(set.name, {}, options)).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    expect(transporterOf(caller).requests).toBe(before + 1);
  });

  test("without a subscriber is repeated until there is one, also a write, and performed once", async () => {
    // A response that is slow on a busy machine is not repeated as a lost one.
    const patient = newBroker("patient.test", TIMEOUT_MS);
    await patient.start();
    await patient.waitForServices("thing");
    handle = (call) => Promise.resolve(call);
    await transporterOf(callee).loseConnection();
    // Until the server has noticed it, the server still sends requests there.
    const isRefused = () =>
      patient.call(read.name, {}, { retries: 0 }).catch((error: unknown) => classify(error).isNotReceived);
    await until(async () => (await isRefused()) === true, "the server knows that there is no subscriber");
    calls = 0;
    const successor = newBroker("successor.test");
    await successor.start();
    const before = transporterOf(patient).requests;
    const repeated = patient.call(set.name, {}, { meta: { writeId: newWriteId() } });
    // More often than a call without a response.
    const attempts = 2 + RETRY_POLICY.maxRetries;
    await Promise.race([repeated, until(() => transporterOf(patient).requests - before >= attempts, "it is repeated")]);
    successor.createService(thing);
    await expect(repeated).resolves.toBe(1);
    expect(calls).toBe(1);
    await Promise.all([patient, successor].map((broker) => broker.stop()));
  });

  test("that is a write and was received does not end with the error of a retry that was not received", async () => {
    const mortal = newBroker("mortal.test");
    mortal.createService({ name: "mortal", actions: serve(mortalSet, handler) });
    await mortal.start();
    await caller.waitForServices("mortal");
    handle = () => lost.promise;
    const call = caller.call(mortalSet.name, {}, { meta: { writeId: newWriteId() } });
    await until(() => calls === 1, "it is received");
    await transporterOf(mortal).loseConnection();
    // The retry is repeated, and nobody receives it.
    await expect(call).rejects.toMatchObject({ type: "REQUEST_TIMEOUT" });
    lost.resolve(0);
    await mortal.stop();
  });
});
