import { describe, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { SEAL } from "../../test/real-parts/test-gateway.ts";
import { apiService } from "./api.service.ts";
import { NO_LIMITS } from "./rates/gateway-rates.ts";

describe("the gateway's service", () => {
  const broker = new ServiceBroker(brokerOptions({ nodeId: "test", natsUrl: undefined, logLevel: "fatal" }));
  const mongoUrl = "mongodb://127.0.0.1:1/none";
  const { schema } = broker.createService(
    apiService({ mongoUrl, port: 0, host: "127.0.0.1", seal: SEAL, rates: NO_LIMITS }),
  );

  test("offers its work on keys alone to the bus, and of moleculer-web nothing", () => {
    const keys = ["createKey", "listKeyChanges", "listKeys", "revokeKey", "rotateKey"];
    expect(Object.keys(schema.actions ?? {}).toSorted()).toEqual(keys);
    expect(Object.keys(schema.events ?? {}).toSorted()).toEqual(["api-key.changed", "api.rates-used"]);
  });

  test("has moleculer-web listen to nothing, and route nothing", () => {
    expect(schema.settings).toMatchObject({ server: false, routes: null });
  });
});
