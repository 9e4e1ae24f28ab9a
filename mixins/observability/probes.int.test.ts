import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import { brokerOptions } from "../../moleculer.config.ts";
import { emptyDatabase } from "../../test/harness/test-services.ts";
import { until } from "../../test/harness/until.ts";
import { refuse } from "../../services/contracts/errors.ts";
import { action } from "../../services/contracts/contract.ts";
import { callMetrics } from "./call-metrics.middleware.ts";
import { serve } from "../actions/contract-action.ts";
import { closedConnection, databaseMixin } from "../mongo/database.mixin.ts";
import { healthMixin } from "../actions/health.mixin.ts";
import { timeZones } from "../time-zones/time-zones.ts";
import { probes } from "./probes.middleware.ts";

declare const TOPOLOGY: "in one process" | "over NATS";

const double = action<{ of: number }, number>({
  name: "guild-settings.double",
  params: { of: { type: "number" } },
  keys: "none",
  idempotent: true,
});

describe("the probes of a process", () => {
  let broker: ServiceBroker;
  let baseUrl: string;
  let lacking: string[];
  let letGo: (result: string) => void;
  let entered: Promise<void>;
  const connection = closedConnection();

  beforeEach(async () => {
    lacking = [];
    let port = 0;
    const natsUrl = TOPOLOGY === "over NATS" ? process.env["TEST_NATS_URL"] : undefined;
    broker = new ServiceBroker({
      ...brokerOptions({ nodeId: "guild-settings.probes", natsUrl, logLevel: "fatal" }),
      namespace: "probes",
      middlewares: [
        callMetrics,
        probes({
          port: 0,
          host: "127.0.0.1",
          alsoMissing: () => lacking,
          onListening: (taken) => void (port = taken),
        }),
      ],
    });
    broker.createService(doublingService());
    await broker.start();
    baseUrl = `http://127.0.0.1:${port}`;
  });
  afterEach(() => broker.stop());

  function doublingService(): ServiceSchema {
    const { promise: held, resolve } = Promise.withResolvers<string>();
    letGo = resolve;
    const inside = Promise.withResolvers<void>();
    entered = inside.promise;
    return {
      name: "guild-settings",
      mixins: [databaseMixin(connection, emptyDatabase(), "probes"), healthMixin("guild-settings", connection)],
      actions: {
        hold() {
          inside.resolve();
          return held;
        },
        inner: { visibility: "private", handler: () => "inner" },
        ...serve(double, async ({ of }) => {
          if (of < 0) throw new Error("a defect");
          return of === 0 ? refuse("EVENT_NOT_FOUND") : 2 * of;
        }),
      },
    };
  }

  async function get(path: string): Promise<{ status: number; text: string }> {
    const response = await fetch(baseUrl + path);
    return { status: response.status, text: await response.text() };
  }

  async function callsByCode(): Promise<number[]> {
    const { text } = await get("/metrics");
    return ["OK", "EVENT_NOT_FOUND", "INTERNAL"].map((code) => countOf(code, text));
  }

  test("report a live and ready process", async () => {
    expect(await get("/health/live")).toEqual({ status: 200, text: '{"status":"live"}' });
    expect(await get("/health/ready")).toEqual({
      status: 200,
      text: `{"status":"ready","time_zones":"${timeZones().version}"}`,
    });
  });

  test("name the parts that the process waits for", async () => {
    lacking.push("the other services");
    const { status, text } = await get("/health/ready");
    expect([status, JSON.parse(text)]).toEqual([503, { status: "not ready", missing: ["the other services"] }]);
  });

  test("name an unreachable database, and still report the process as live", async () => {
    await connection.close();
    const { status, text } = await get("/health/ready");
    expect([status, JSON.parse(text)]).toEqual([503, { status: "not ready", missing: ["database of guild-settings"] }]);
    expect((await get("/health/live")).status).toBe(200);
  });

  test("return 404 on other paths", async () => {
    expect((await get("/")).status).toBe(404);
    expect((await get("/metrics?all")).status).toBe(404);
  });

  test("report the process as not ready as soon as it stops, while it still responds to requests in flight", async () => {
    const answered = broker.call("guild-settings.hold");
    await entered;
    const stopped = broker.stop();
    await until(async () => (await get("/health/ready")).status === 503, "not ready while stopping");
    expect((await get("/health/live")).status).toBe(200);
    letGo("done");
    await expect(answered).resolves.toBe("done");
    await stopped;
    await expect(get("/health/live")).rejects.toThrow("fetch failed");
  });

  test("count actions by outcome, and label errors only with codes of the error table", async () => {
    const before = await callsByCode();
    await broker.call(double.name, { of: 2 });
    await broker.call(double.name, { of: 3 });
    await expect(broker.call(double.name, { of: 0 })).rejects.toMatchObject({ type: "EVENT_NOT_FOUND" });
    await expect(broker.call(double.name, { of: -1 })).rejects.toMatchObject({ type: "INTERNAL" });
    const after = await callsByCode();
    expect(after.map((count, each) => count - (before[each] ?? 0))).toEqual([2, 1, 1]);
  });

  test("name the release of the time zone rules in a metric", async () => {
    const { version, source } = timeZones();
    const series = `guildcal_time_zones_published_timestamp_seconds{version="${version}",source="${source}"}`;
    expect((await get("/metrics")).text).toContain(series);
  });

  test("count no private action, such as moleculer-web's for each request", async () => {
    await expect(broker.getLocalService("guild-settings")["actions"].inner?.()).resolves.toBe("inner");
    await broker.call(double.name, { of: 2 });
    const { text } = await get("/metrics");
    expect(countOf("OK", text)).toBeGreaterThan(0);
    expect(text).not.toContain('action="guild-settings.inner"');
  });

  test("show at each scrape whether the database is reachable, without a request", async () => {
    expect((await get("/metrics")).text).toMatch(/^guildcal_database_up\{service="guild-settings"\} 1$/m);
    await connection.close();
    expect((await get("/metrics")).text).toMatch(/^guildcal_database_up\{service="guild-settings"\} 0$/m);
  });

  test("count broadcasts by event, and show the event loop lag", async () => {
    await broker.broadcast("guild-settings.changed", { guildId: "1", revision: 1 });
    const { text } = await get("/metrics");
    expect(text).toMatch(/guildcal_broadcasts_total\{event="guild-settings.changed"\} [1-9]/);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).not.toContain('action="$node');
  });
});

function countOf(code: string, metrics: string): number {
  const line = `guildcal_action_duration_seconds_count{action="guild-settings.double",code="${code}"} `;
  return Number(metrics.split(line)[1]?.split("\n", 1)[0] ?? 0);
}
