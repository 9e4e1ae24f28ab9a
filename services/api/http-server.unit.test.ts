import { afterEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { until } from "../../test/real-parts/until.ts";
import { isRefusal } from "../contracts/errors.ts";
import { jsonAnswer, refusalAnswer } from "./answer.ts";
import type { BrokenRequest } from "./broken-request.ts";
import { type HttpServer, httpServer, type HttpServerParts, type Served } from "./http-server.ts";
import { readJsonBody } from "./request-body.ts";

const MIB = 1_048_576;

/** Reads the body and answers with it. */
const echo: HttpServerParts["answer"] = async (message, requestId) => {
  const body = await readJsonBody(message);
  return isRefusal(body) ? refusalAnswer(body, requestId) : jsonAnswer(200, { got: Object.keys(body) });
};

function request(body: string, headers: Record<string, string | number> = {}): string {
  const lines = Object.entries({
    host: "x",
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /x HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

const ofSize = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;

describe("the HTTP server", () => {
  let server: HttpServer;
  let port = 0;
  const served: Served[] = [];
  const sockets: Socket[] = [];

  async function start(parts: Partial<HttpServerParts> = {}): Promise<void> {
    served.length = 0;
    const onServed = (each: Served) => void served.push(each);
    const usual = { answer: echo, onServed, onBroken: () => undefined, onError: () => undefined };
    server = httpServer({ port: 0, host: "127.0.0.1", ...usual, ...parts });
    port = await server.listen();
  }

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await server.drain(0);
  });

  /** A bare connection: what it sent, and what came back on it. */
  async function dial(): Promise<{ socket: Socket; received: () => string; closed: () => boolean }> {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    let text = "";
    let isClosed = false;
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("close", () => (isClosed = true));
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return { socket, received: () => text, closed: () => isClosed };
  }

  /** Sends a text as it is and waits for the answers that it must have. */
  async function send(text: string, answers = 1) {
    const line = await dial();
    line.socket.write(text);
    await until(() => line.received().split("HTTP/1.1 ").length > answers, `${answers} answers`);
    await until(() => line.received().endsWith("}"), "the answer's body");
    return line;
  }

  test("answers with its request id and headers that are safe", async () => {
    await start();
    const { received } = await send(request('{"a":1}', { "x-request-id": "mine" }));
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    for (const header of ["x-request-id: mine", "x-content-type-options: nosniff", "cache-control: no-store"]) {
      expect(received()).toContain(header);
    }
    expect(served).toMatchObject([{ requestId: "mine", status: 200 }]);
  });

  test("pipelined requests are answered in their order", async () => {
    await start();
    const { received } = await send(request('{"a":1}') + request('{"b":1}'), 2);
    expect(received()).toMatch(/\{"got":\["a"\]\}[^]*\{"got":\["b"\]\}/);
  });

  test.each([
    ["text", "text/plain", 415],
    ["nothing", "", 415],
    ["another charset", "application/json; charset=latin1", 415],
    ["a form", "application/x-www-form-urlencoded", 415],
    ["JSON with a suffix", "application/json-patch", 415],
    ["JSON", "application/json", 200],
    ["JSON in UTF-8", 'APPLICATION/JSON; charset="UTF-8"', 200],
  ])("content type %s: %s is answered %d", async (_name, type, status) => {
    await start();
    const { received } = await send(request("{}", { "content-type": type }));
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test("a compressed body is refused, whatever it holds", async () => {
    await start();
    const { received } = await send(request("{}", { "content-encoding": "gzip" }));
    expect(received()).toMatch(/^HTTP\/1\.1 415 /);
  });

  test("a body that is not UTF-8 is refused, where decoding it would replace what it can't read", async () => {
    await start();
    const line = await dial();
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    line.socket.write(Buffer.concat([Buffer.from(request("", { "content-length": body.length })), body]));
    await until(() => line.received().endsWith("}"), "the answer");
    expect(line.received()).toMatch(/^HTTP\/1\.1 400 [^]*INVALID_JSON[^]*"field":"body"[^]*UTF-8/);
    expect(body.toString("utf8")).toContain("\ufffd");
  });

  test("a body of 64 KiB is taken, one byte more is 413, and the connection goes on", async () => {
    await start();
    const { received } = await send(request(ofSize(65_536)) + request(ofSize(65_537)) + request("{}"), 3);
    expect([...received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "413", "200"]);
  });

  test("a body without a length is measured as it streams in", async () => {
    await start();
    const head = request("", { "content-length": 0 }).replace("content-length: 0", "transfer-encoding: chunked");
    const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`;
    const { received } = await send(`${head}${chunk.repeat(3)}0\r\n\r\n`);
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("a body that is announced as endless is answered at once, and its connection closed", async () => {
    await start();
    const { received, closed } = await send(request("", { "content-length": 100 * MIB }));
    expect(received()).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
    await until(closed, "the connection is closed");
  });

  test("a refusal before the body was read leaves the connection usable", async () => {
    await start({ answer: async () => jsonAnswer(401, {}) });
    const { received } = await send(request("x".repeat(200_000)) + request("{}"), 2);
    expect(received().match(/HTTP\/1\.1 401/g)).toHaveLength(2);
  });

  test.each([
    ["no HTTP", "hello\r\n\r\n", 400, "INVALID_HTTP"],
    ["two lengths", request("{}").replace("host: x", "host: x\r\ncontent-length: 3"), 400, "INVALID_HTTP"],
    ["headers of 20 kB", request("{}", { x: "y".repeat(20_000) }), 431, "HEADERS_TOO_LARGE"],
  ])("%s is answered in the form of every error, and told (D4)", async (_name, text, status, code) => {
    const told: BrokenRequest[] = [];
    await start({ onBroken: (broken) => void told.push(broken) });
    const { received, closed } = await send(text);
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(received().slice(received().indexOf("{"))) as Record<string, unknown>;
    expect(body).toMatchObject({ code, message: expect.any(String), request_id: expect.any(String) });
    expect(body["errors"] !== undefined).toBe(status === 400);
    expect(told).toEqual([{ status, code, requestId: body["request_id"] }]);
    expect(received()).toContain(`x-request-id: ${String(body["request_id"])}`);
    await until(closed, "the connection is closed");
  });

  test.each([
    ["headers", "POST /x HTTP/1.1\r\nhost: x\r\n"],
    ["a body", request("{", { "content-length": 10 })],
  ])("half-sent %s time out with 408", async (_name, text) => {
    await start({ limits: { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 } });
    const { received, closed } = await send(text);
    expect(received()).toMatch(/^HTTP\/1\.1 408 [^]*REQUEST_TIMEOUT/);
    await until(closed, "the connection is closed");
  });

  test("a connection too many is closed at once, and those that are there go on", async () => {
    await start({ limits: { maxConnections: 2 } });
    const [first] = [await dial(), await dial()];
    const third = await dial();
    await until(third.closed, "the third is closed");
    first.socket.write(request("{}"));
    await until(() => first.received().endsWith("}"), "the first is answered");
    expect(first.received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("a sender that goes away half-way harms nobody", async () => {
    const told: unknown[] = [];
    await start({ onError: (error) => void told.push(error) });
    const { socket, closed } = await dial();
    socket.write(request("{", { "content-length": 10 }));
    socket.end();
    await until(closed, "it is gone");
    await expect(send(request("{}"))).resolves.toBeDefined();
    expect([served.length, told]).toEqual([1, []]);
  });

  test("an error that becomes no answer ends its connection and is told, not swallowed", async () => {
    const told: unknown[] = [];
    const broken = new Error("no answer");
    await start({ answer: () => Promise.reject(broken), onError: (error) => void told.push(error) });
    const { socket, closed } = await dial();
    socket.write(request("{}"));
    await until(closed, "the connection is closed");
    expect(told).toEqual([broken]);
  });

  test("a port that is taken is an error of the start", async () => {
    await start();
    const second = httpServer({
      port,
      host: "127.0.0.1",
      answer: echo,
      onServed: () => undefined,
      onBroken: () => undefined,
      onError: () => undefined,
    });
    await expect(second.listen()).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("a stop closes idle connections, lets what is in flight finish, and takes nobody new", async () => {
    const held = Promise.withResolvers<void>();
    let begun = false;
    await start({
      answer: async ({ url }) => {
        if (url === "/quick") return jsonAnswer(200, {});
        begun = true;
        await held.promise;
        return jsonAnswer(200, { done: true });
      },
    });
    const fresh = await dial();
    const idle = await send("GET /quick HTTP/1.1\r\nhost: x\r\n\r\n");
    const busy = await dial();
    busy.socket.write(request("{}"));
    await until(() => begun, "the request is in flight");
    const stopped = server.drain(60_000);
    await until(() => fresh.closed() && idle.closed(), "the connections without a request are closed");
    await expect(dial()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(busy.closed()).toBe(false);
    held.resolve();
    await stopped;
    await until(busy.closed, "the busy connection is closed");
    expect(busy.received()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*\{"done":true\}$/i);
  });

  test("a stop does not wait for ever", async () => {
    let begun = false;
    await start({ answer: () => ((begun = true), new Promise(() => undefined)) });
    const { socket, closed } = await dial();
    socket.write(request("{}"));
    await until(() => begun, "the request is in flight");
    await server.drain(50);
    await until(closed, "the connection is cut");
    expect(served).toEqual([]);
  });
});
