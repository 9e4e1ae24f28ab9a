import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { newWriteId } from "../../mixins/mongo/write-id.ts";
import { until } from "../../test/harness/until.ts";
import { postRequest, responsesOf, webService } from "../../test/harness/web-service.ts";
import type { Caller } from "../contracts/contract.ts";
import { Gateway, gatewayPages, type GatewayOptions } from "./gateway.ts";

/** Receives the time before the attempt that responded (`CallOptions`). */
type OnResponse = (msBeforeAttempt: number) => void;

/** A broker on which every health check succeeds, and every list is empty. */
const broker = {
  options: {},
  registry: { actions: { isAvailable: () => true } },
  onList: async (_guildId: string, _onResponse: OnResponse): Promise<void> => undefined,
  async call(name: string, { guildId }: { guildId: string }, { onResponse }: { onResponse: OnResponse }) {
    if (!name.endsWith(".list")) return { database: true };
    await this.onList(guildId, onResponse);
    return [];
  },
};
const service: Caller = { keyId: "s", kind: "service", access: "read", guilds: [] };
const admitted = { caller: service, standings: [] };

describe("the gateway", () => {
  let gateway: Gateway;
  let port = 0;
  let isDatabaseUp = true;
  let lines: { readonly level: string; readonly status: number; readonly requestId: string }[] = [];

  const logAt = (level: string) => (line: Omit<(typeof lines)[number], "level">) => void lines.push({ ...line, level });

  async function start(): Promise<void> {
    const pages = gatewayPages(() => gateway.missing());
    const web = webService(() => gateway.requestHandler, pages);
    const apiService = {
      broker,
      respond: web.respond.bind(web),
      logger: { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") },
    } as never as GatewayOptions["service"];
    const admission = { admit: async () => admitted, admitToGuild: () => admitted } as never;
    gateway = new Gateway({
      pages,
      service: apiService,
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

  test("delays the next list of a guild whose last one was slow, and not if only a message was lost", async () => {
    await start();
    await until(async () => (await ready()).status === 200, "it is ready");
    const [slow, lost] = ["1", "2"];
    const begun: string[] = [];
    broker.onList = async (guildId, onResponse) => {
      begun.push(guildId);
      await pause(300);
      onResponse(guildId === lost ? 60_000 : 0);
    };
    const respond = responsesOf(gateway.requestHandler);
    const list = (guildId: string) =>
      respond(postRequest("/v1/announcement/list", { guild_id: guildId, amount: 1 }), "id");
    await Promise.all([slow, lost].map(list));
    await Promise.all([slow, lost].map(list));
    expect(begun).toEqual([slow, lost, lost, slow]);
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
