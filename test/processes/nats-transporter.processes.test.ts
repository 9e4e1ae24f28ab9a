import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Context, ServiceBroker, type ServiceSchema } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";

const CALLS = 300;

describe("the NATS transporter", () => {
  const namespace = randomUUID();
  const newBroker = (nodeId: string) => {
    const options = brokerOptions({ nodeId, natsUrl: process.env["TEST_NATS_URL"], logLevel: "fatal" });
    return new ServiceBroker({ ...options, namespace, requestTimeout: 1_000 });
  };
  /** Its action is neither a read nor idempotent: a lost request is not retried. */
  const echo: ServiceSchema = { name: "echo", actions: { say: ({ params }: Context<{ at: number }>) => params.at } };
  const callee = newBroker("callee.test");
  const caller = newBroker("caller.test");

  beforeAll(async () => {
    callee.createService(echo);
    await Promise.all([callee.start(), caller.start()]);
    await caller.waitForServices("echo");
  });
  afterAll(() => Promise.all([callee.stop(), caller.stop()]));

  test("loses no request while the services of a node change", async () => {
    const responses: number[] = [];
    for (let at = 0; at < CALLS; at += 1) {
      // A new service changes the subscriptions of the node.
      if (at % 20 === 0) callee.createService({ name: `passer-by-${at}` });
      responses.push(await caller.call<number, { at: number }>("echo.say", { at }));
    }
    expect(responses).toEqual(Array.from({ length: CALLS }, (_, at) => at));
  });

  test("loses no request that is on its way to a node when the node stops", async () => {
    const other = newBroker("other.test");
    other.createService(echo);
    await other.start();
    const calls = Array.from({ length: CALLS }, (_, at) => caller.call<number, { at: number }>("echo.say", { at }));
    // The requests are written at the end of this turn.
    await new Promise(setImmediate);
    await other.stop();
    await expect(Promise.all(calls)).resolves.toEqual(Array.from({ length: CALLS }, (_, at) => at));
  });
});
