import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";

const CALLS = 300;

describe("the NATS transporter", () => {
  const namespace = randomUUID();
  const broker = (nodeId: string) => {
    const options = brokerOptions({ nodeId, natsUrl: process.env["TEST_NATS_URL"], logLevel: "fatal" });
    return new ServiceBroker({ ...options, namespace, requestTimeout: 1_000 });
  };
  const callee = broker("callee.test");
  const caller = broker("caller.test");

  beforeAll(async () => {
    callee.createService({ name: "echo", actions: { say: (context) => (context.params as { at: number }).at } });
    await Promise.all([callee.start(), caller.start()]);
    await caller.waitForServices("echo");
  });
  afterAll(() => Promise.all([callee.stop(), caller.stop()]));

  test("loses no request while the services of a node change", async () => {
    const answers: number[] = [];
    for (let at = 0; at < CALLS; at += 1) {
      // A service that comes, or goes, makes the node announce itself anew.
      if (at % 20 === 0) callee.createService({ name: `passer-by-${at}` });
      answers.push(await caller.call<number, { at: number }>("echo.say", { at }));
    }
    expect(answers).toEqual(Array.from({ length: CALLS }, (_, at) => at));
  });
});
