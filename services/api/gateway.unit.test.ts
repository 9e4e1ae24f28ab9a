import { afterEach, describe, expect, test } from "@jest/globals";
import { until } from "../../test/real-parts/until.ts";
import type { ApiKeysStore } from "./api-keys.store.ts";
import { Gateway, type GatewayParts } from "./gateway.ts";

/** A broker on which every service is well. */
const broker = {
  registry: { actions: { isAvailable: () => true } },
  call: async () => ({ database: true }),
};

describe("the gateway's readiness", () => {
  let gateway: Gateway;
  let port = 0;
  let answers = true;

  async function start(): Promise<void> {
    const service = {
      broker,
      logger: { debug: () => undefined, error: () => undefined },
    } as never as GatewayParts["service"];
    const keys = { findByHash: async () => null } as Partial<ApiKeysStore> as ApiKeysStore;
    gateway = new Gateway({ service, databaseAnswers: async () => answers, keys, port: 0, host: "127.0.0.1" });
    port = await gateway.start();
  }
  afterEach(() => gateway.stop(0));

  const ready = async () => fetch(`http://127.0.0.1:${port}/health/ready`);

  test("needs its own database as well as every service", async () => {
    await start();
    await until(async () => (await ready()).status === 200, "it is ready");
    answers = false;
    const answer = await ready();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    await expect(answer.json()).resolves.toEqual({ status: "not ready", missing: ["database of api"] });
  });
});
