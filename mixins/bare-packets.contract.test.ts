import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type BrokerOptions, type Context, type Middleware, ServiceBroker } from "moleculer";
import { barePackets } from "./bare-packets.middleware.ts";

interface Packet {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const TIMEOUT_MS = 1_000;
/** What Moleculer's own packets hold: a field that another version adds would be left out, and has to be looked at. */
const REQUEST = "action caller headers id level meta params parentID requestID sender stream timeout tracing ver".split(
  " ",
);
const BARE_REQUEST = ["action", "id", "level", "meta", "params", "sender", "timeout", "ver"];
const ANSWER = ["data", "headers", "id", "meta", "sender", "success", "ver"];
const BARE_ANSWER = ["data", "id", "sender", "success", "ver"];

/** Two brokers that exchange packets, the one with a service; what was put on the bus is kept. */
function pair(middlewares: readonly Middleware[]) {
  const packets: Packet[] = [];
  const noting = {
    transporterSend: (next: (topic: string, data: Buffer, meta: { packet: Packet }) => unknown) =>
      ((topic, data, meta) => {
        packets.push(meta.packet);
        return next(topic, data, meta);
      }) as typeof next,
  } as unknown as Middleware;
  const options = (nodeID: string): BrokerOptions => ({
    nodeID,
    namespace: "bare-packets",
    logger: false,
    transporter: "Fake",
    requestTimeout: TIMEOUT_MS,
    middlewares: [...middlewares, noting],
  });
  const [caller, owner] = [new ServiceBroker(options("caller")), new ServiceBroker(options("owner"))];
  const seen: Context[] = [];
  owner.createService({
    name: "thing",
    actions: {
      get(context: Context<{ answer: unknown }>) {
        seen.push(context);
        Object.assign(context.meta, { ofOwner: true });
        return context.params.answer;
      },
      refuse() {
        throw new Error("refused");
      },
    },
  });
  return {
    caller,
    seen,
    payloads: (type: string) => packets.filter((packet) => packet.type === type).map(({ payload }) => payload),
    async start() {
      await Promise.all([caller.start(), owner.start()]);
      await caller.waitForServices("thing", 5_000, 20);
    },
    forget() {
      packets.length = 0;
      seen.length = 0;
    },
    stop: () => Promise.all([caller.stop(), owner.stop()]),
  };
}

const keysOf = (payload: object | undefined) => Object.keys(payload ?? {}).toSorted();

describe("what is put on the bus for a call", () => {
  const its = pair([barePackets]);
  beforeAll(() => its.start());
  beforeEach(() => its.forget());
  afterAll(() => its.stop());

  test("is what the other side needs", async () => {
    const meta = { requestId: "r" };
    await expect(its.caller.call("thing.get", { answer: [1] }, { meta })).resolves.toEqual([1]);
    expect(its.payloads("REQ").map(keysOf)).toEqual([BARE_REQUEST]);
    expect(its.payloads("RES").map(keysOf)).toEqual([BARE_ANSWER]);
    expect(its.seen).toMatchObject([{ params: { answer: [1] }, meta, level: 1, nodeID: "caller" }]);
    expect(its.seen[0]?.options.timeout).toBe(TIMEOUT_MS);
    expect(meta).toEqual({ requestId: "r" });
  });

  test("keeps an answer that is null", async () => {
    await expect(its.caller.call("thing.get", { answer: null })).resolves.toBeNull();
  });

  test("tells why a call failed", async () => {
    await expect(its.caller.call("thing.refuse")).rejects.toThrow("refused");
    expect(its.payloads("RES")).toMatchObject([{ success: false, meta: {} }]);
  });

  test.each([
    ["which another call has led to", { parentSpan: { id: "p", traceID: "t", sampled: true } }],
    ["with headers", { headers: { of: "caller" } }],
    ["under the id of another request", { requestID: "another" }],
  ])("is all that there is for one %s", async (_, options) => {
    await its.caller.call("thing.get", { answer: 1 }, options as object);
    expect(its.payloads("REQ").map(keysOf)).toEqual([REQUEST]);
  });
});

test("Moleculer alone puts more on the bus for a call, and it is known to the last field", async () => {
  const its = pair([]);
  await its.start();
  await its.caller.call("thing.get", { answer: [1] });
  await its.stop();
  expect(its.payloads("REQ").map(keysOf)).toEqual([REQUEST]);
  expect(its.payloads("RES").map(keysOf)).toEqual([ANSWER]);
});
