import { describe, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { KEY_HASHING } from "../../test/real-parts/test-gateway.ts";
import { apiService } from "./api.service.ts";
import { BUS_EVENTS } from "./bus/bus-user.ts";
import { NO_LIMITS } from "./rates/gateway-rates.ts";
import { pathsOf, ROUTES } from "./route-table.ts";

interface WebSettings {
  readonly server: unknown;
  readonly routes: readonly { readonly aliases: object }[];
}

function visibilityOf(action: unknown): unknown {
  return (Object(action) as { readonly visibility?: unknown }).visibility;
}

describe("the gateway's service", () => {
  const broker = new ServiceBroker(brokerOptions({ nodeId: "test", natsUrl: undefined, logLevel: "fatal" }));
  const mongoUrl = "mongodb://127.0.0.1:1/none";
  const { schema } = broker.createService(
    apiService({ mongoUrl, port: 0, host: "127.0.0.1", hashing: KEY_HASHING, rates: NO_LIMITS }),
  );

  test("offers its work on keys and feeds alone to the bus, and of moleculer-web nothing", () => {
    const offered = Object.entries(schema.actions ?? {}).filter(([, action]) => visibilityOf(action) !== "private");
    const keys = ["createKey", "listKeyChanges", "listKeys", "revokeKey", "rotateKey"];
    const feeds = ["createFeed", "listFeeds", "revokeFeed", "rotateFeed"];
    expect(offered.map(([verb]) => verb).toSorted()).toEqual([...keys, ...feeds].toSorted());
    expect(Object.keys(schema.events ?? {}).toSorted()).toEqual(
      ["api-key.changed", "api.rates-used", ...BUS_EVENTS.map(({ name }) => name)].toSorted(),
    );
    const { $secureSettings: secure = [], ...settings } = schema.settings ?? {};
    expect(Object.keys(settings).filter((name) => !(secure as readonly string[]).includes(name))).toEqual([]);
  });

  test("has moleculer-web listen to nothing, parse and merge nothing, and map no action by its name", () => {
    const { server, routes } = schema.settings as unknown as WebSettings;
    expect([server, routes.length]).toEqual([false, 2]);
    const off = {
      bodyParsers: false,
      mergeParams: false,
      autoAliases: false,
      mappingPolicy: "restrict",
      logging: false,
    };
    for (const route of routes) expect(route).toMatchObject(off);
  });

  test("has an alias for each path of the table, all behind the key", () => {
    const { routes } = schema.settings as unknown as WebSettings;
    const [forKeys, forEverybody] = routes;
    expect(forKeys).toMatchObject({ authentication: "authenticate", authorization: "authorize" });
    const paths = ROUTES.flatMap(pathsOf).map((path) => `POST ${path}`);
    expect(Object.keys(forKeys?.aliases ?? {}).toSorted()).toEqual(paths.toSorted());
    expect(Object.keys(forEverybody?.aliases ?? {}).filter((alias) => !alias.startsWith("GET "))).toEqual([]);
  });
});
