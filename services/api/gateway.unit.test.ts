import { afterEach, describe, expect, test } from "@jest/globals";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { until } from "../../test/harness/until.ts";
import { webService } from "../../test/harness/web-service.ts";
import { Gateway, gatewayPages, type GatewayOptions } from "./gateway.ts";

/** A broker on which every health check succeeds. */
const broker = {
  options: {},
  registry: { actions: { isAvailable: () => true } },
  call: async () => ({ database: true }),
};

describe("the gateway", () => {
  let gateway: Gateway;
  let port = 0;
  let isDatabaseUp = true;
  let lines: { readonly level: string; readonly status: number; readonly requestId: string }[] = [];

  const logAt = (level: string) => (line: Omit<(typeof lines)[number], "level">) => void lines.push({ ...line, level });

  async function start(): Promise<void> {
    const pages = gatewayPages(() => gateway.missing());
    const web = webService(() => gateway.requestHandler, pages);
    const service = {
      broker,
      respond: web.respond.bind(web),
      logger: { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") },
    } as never as GatewayOptions["service"];
    const admission = { admit: () => Promise.reject(new Error("nobody asks")) } as never as GatewayOptions["admission"];
    gateway = new Gateway({
      pages,
      service,
      pingDatabase: async () => isDatabaseUp,
      admission,
      admitFeed: async () => Promise.reject(new Error("nobody asks")),
      clock: { now: () => 0 },
      runIdempotently: (_request, perform) => perform(newWriteId()),
      port: 0,
      host: "127.0.0.1",
    });
    port = await gateway.start();
    isDatabaseUp = true;
    lines = [];
  }
  afterEach(() => gateway.stop(0));

  const ask = async (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const ready = async () => ask("/health/ready");

  test("is ready when its own database and every service respond", async () => {
    await start();
    await until(async () => (await ready()).status === 200, "it is ready");
    isDatabaseUp = false;
    const response = await ready();
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    await expect(response.json()).resolves.toEqual({ status: "not ready", missing: ["database of api"] });
  });

  test("logs refused requests with the id in the response, and failed requests as warnings (D4)", async () => {
    await start();
    await until(async () => (await ready()).status === 200, "it is ready");
    lines = [];
    const [live, refused] = await Promise.all([ask("/health/live"), ask("/nowhere")]);
    isDatabaseUp = false;
    const failed = await ready();
    await until(() => lines.length === 3, "all are logged");
    expect(lines.map(({ level, status, requestId }) => [level, status, requestId])).toEqual(
      expect.arrayContaining([
        ["debug", 200, live.headers.get("x-request-id")],
        ["info", 404, refused.headers.get("x-request-id")],
        ["warn", 503, failed.headers.get("x-request-id")],
      ]),
    );
  });

  test("logs at most a hundred refused requests per second, and the number of the others", async () => {
    await start();
    await until(async () => (await ready()).status === 200, "it is ready");
    const suppressed = () =>
      lines.filter((line) => "suppressed" in line) as unknown as { readonly suppressed: number }[];
    const written = () => lines.filter((line) => "requestId" in line).length;
    lines = [];
    await Promise.all(Array.from({ length: 500 }, () => ask("/nowhere")));
    await gateway.stop(0);
    expect(suppressed()).not.toEqual([]);
    expect(written() + suppressed().reduce((sum, line) => sum + line.suppressed, 0)).toBe(500);
  });
});
