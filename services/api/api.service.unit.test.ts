import { describe, expect, test } from "@jest/globals";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { KEY_HASHING } from "../../test/harness/test-gateway.ts";
import { apiService } from "./api.service.ts";
import { BUS_EVENTS } from "./bus/bus-user.ts";
import { IMPORT_PATH } from "./imports/calendar-import.ts";
import { NO_LIMITS } from "./rates/gateway-rates.ts";
import { pathsOf, ROUTES } from "./route-table.ts";

interface WebSettings {
  readonly server: unknown;
  readonly routes: readonly { readonly aliases: object }[];
}

function visibilityOf(action: unknown): unknown {
  return (Object(action) as { readonly visibility?: unknown }).visibility;
}

describe("the service of the gateway", () => {
  const broker = new ServiceBroker(brokerOptions({ nodeId: "test", natsUrl: undefined, logLevel: "fatal" }));
  const mongoUrl = "mongodb://127.0.0.1:1/none";
  const { schema } = broker.createService(
    apiService({ mongoUrl, port: 0, host: "127.0.0.1", hashing: KEY_HASHING, rates: NO_LIMITS }),
  );

  test("registers only the actions for keys, feeds and changes on the bus, and none of moleculer-web", () => {
    const offered = Object.entries(schema.actions ?? {}).filter(([, action]) => visibilityOf(action) !== "private");
    const keys = ["createKey", "listKeyChanges", "listKeys", "revokeKey", "rotateKey"];
    const feeds = ["createFeed", "listFeeds", "listFeedsPage", "revokeFeed", "rotateFeed"];
    const changes = ["encodeOccurrences", "listChanges", "readEncodedChanges"];
    expect(offered.map(([verb]) => verb).toSorted()).toEqual([...keys, ...feeds, ...changes].toSorted());
    expect(Object.keys(schema.events ?? {}).toSorted()).toEqual(
      ["api-key.changed", "api.rates-used", ...BUS_EVENTS.map(({ name }) => name)].toSorted(),
    );
    const { $secureSettings: secure = [], ...settings } = schema.settings ?? {};
    expect(Object.keys(settings).filter((name) => !(secure as readonly string[]).includes(name))).toEqual([]);
  });

  test("does not let moleculer-web listen on a port, parse bodies, merge params, or map actions by their names", () => {
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

  test("has an alias for each path of the route table, and each requires an API key", () => {
    const { routes } = schema.settings as unknown as WebSettings;
    const [endpoints, pages] = routes;
    expect(endpoints).toMatchObject({ authentication: "authenticate", authorization: "authorize" });
    const paths = ROUTES.flatMap(pathsOf).map((path) => `POST ${path}`);
    expect(Object.keys(endpoints?.aliases ?? {}).toSorted()).toEqual(paths.toSorted());
    // An import checks its key before it reads its body.
    const imports = pathsOf({ paths: [IMPORT_PATH] }).map((path) => `POST ${path}`);
    expect(Object.keys(pages?.aliases ?? {}).filter((alias) => !alias.startsWith("GET "))).toEqual(imports);
  });
});
