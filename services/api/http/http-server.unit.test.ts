import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { HttpServerUnderTest, MIB, request, statusesIn } from "../../../test/harness/http-server-under-test.ts";
import { until } from "../../../test/harness/until.ts";
import { jsonResponse } from "./http-response.ts";
import type { MalformedRequest } from "./malformed-request.ts";

const ofSize = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;

describe("the HTTP server", () => {
  const server = new HttpServerUnderTest();
  afterEach(() => server.cut());

  test("sends the request id and the common headers with every response", async () => {
    await server.start();
    const { received } = await server.send(request('{"a":1}', { "x-request-id": "mine" }));
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    for (const header of ["x-request-id: mine", "x-content-type-options: nosniff", "cache-control: no-store"]) {
      expect(received()).toContain(header);
    }
    expect(server.served).toMatchObject([{ requestId: "mine", status: 200 }]);
  });

  test.each([
    ["text", "text/plain", 415],
    ["nothing", "", 415],
    ["another charset", "application/json; charset=latin1", 415],
    ["a form", "application/x-www-form-urlencoded", 415],
    ["JSON with a suffix", "application/json-patch", 415],
    ["JSON", "application/json", 200],
    ["JSON in UTF-8", 'APPLICATION/JSON; charset="UTF-8"', 200],
  ])("the content type %s: %s gets the status %d", async (_name, type, status) => {
    await server.start();
    const { received } = await server.send(request("{}", { "content-type": type }));
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test("a compressed body is refused", async () => {
    await server.start();
    const { received } = await server.send(request("{}", { "content-encoding": "gzip" }));
    expect(received()).toMatch(/^HTTP\/1\.1 415 /);
  });

  test("a body that is not UTF-8 is refused instead of decoded with replacement characters", async () => {
    await server.start();
    const line = await server.dial();
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    line.socket.write(Buffer.concat([Buffer.from(request("", { "content-length": body.length })), body]));
    await until(() => line.received().endsWith("}"), "the response");
    expect(line.received()).toMatch(/^HTTP\/1\.1 400 [^]*INVALID_JSON[^]*"field":"body"[^]*UTF-8/);
    expect(body.toString("utf8")).toContain("\ufffd");
  });

  test("a body of 64 KiB is accepted, one byte more gets 413, and the connection stays open", async () => {
    await server.start();
    const { received } = await server.send(request(ofSize(65_536)) + request(ofSize(65_537)) + request("{}"), 3);
    expect(statusesIn(received())).toEqual(["200", "413", "200"]);
  });

  test("a body without a length gets 413 as soon as it is too large, and the connection stays open", async () => {
    await server.start();
    const head = request("", { "content-length": 0 }).replace("content-length: 0", "transfer-encoding: chunked");
    const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`;
    const { received } = await server.send(`${head}${chunk.repeat(3)}0\r\n\r\n${request("{}")}`, 2);
    expect(statusesIn(received())).toEqual(["413", "200"]);
  });

  test("a body with a huge Content-Length gets 413 at once, and the connection is closed", async () => {
    await server.start();
    const { received, closed } = await server.send(request("", { "content-length": 100 * MIB }));
    expect(received()).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
    await until(closed, "the connection is closed");
  });

  test("a response has Connection: close only once", async () => {
    await server.start();
    const { received, closed } = await server.send(request("", { "content-length": 100 * MIB, expect: "nothing" }));
    await until(closed, "the connection is closed");
    expect(received()).toMatch(/^HTTP\/1\.1 417 /);
    expect(received().match(/^connection:/gim)).toHaveLength(1);
  });

  test.each([
    ["a body that does not come", { "content-length": 1_000 }, ""],
    ["a body that trickles in", { "content-length": 1_000 }, "x"],
    ["an endless body", { "content-length": 100 * MIB }, "x".repeat(3 * MIB)],
  ])("a refusal is sent before the body arrives, and the wait for %s is limited", async (_name, headers, some) => {
    await server.start({ respond: async () => jsonResponse(401, {}), limits: { discardMs: 50 } });
    const { socket, received, closed } = await server.dial(request("", headers));
    await until(() => received().endsWith("{}"), "the response");
    expect(received()).toMatch(/^HTTP\/1\.1 401 /);
    const trickling = setInterval(() => socket.write(some), 10);
    await until(closed, "the connection is closed");
    clearInterval(trickling);
    await server.nobodyLeft();
    expect(server.served).toHaveLength(1);
  });

  test("a client that sends an endless body can read the refusal before the connection is closed", async () => {
    await server.start({ respond: async () => jsonResponse(413, {}) });
    const line = await server.dial();
    line.socket.pause();
    line.socket.write(request("", { "content-length": 100 * MIB }) + "x".repeat(8 * MIB));
    await until(() => server.served.length === 1, "the response is given");
    line.socket.resume();
    await until(() => line.received().endsWith("{}"), "the response is read");
    expect(line.received()).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
  });

  test("the body of a refused request may take more than a second to arrive, and the connection stays open", async () => {
    await server.start({ respond: async () => jsonResponse(401, {}) });
    const { socket, received } = await server.dial(request("", { "content-length": 1 }));
    await until(() => received().endsWith("{}"), "the refusal");
    await pause(1_500);
    socket.write("x" + request("{}"));
    const hasBothResponses = () => received().match(/HTTP\/1\.1 401/g)?.length === 2;
    await expect(until(hasBothResponses, "the second response")).resolves.toBeUndefined();
  });

  test("the connection stays open after a refusal that was sent before the body", async () => {
    await server.start({ respond: async () => jsonResponse(401, {}) });
    const { received } = await server.send(request("x".repeat(200_000)) + request("{}"), 2);
    expect(received().match(/HTTP\/1\.1 401/g)).toHaveLength(2);
  });

  test.each([
    ["no HTTP", "hello\r\n\r\n", 400, "INVALID_HTTP"],
    ["two lengths", request("{}").replace("host: x", "host: x\r\ncontent-length: 3"), 400, "INVALID_HTTP"],
    ["headers of 20 kB", request("{}", { x: "y".repeat(20_000) }), 431, "HEADERS_TOO_LARGE"],
    ["a host that is missing", "GET /x HTTP/1.1\r\n\r\n", 400, "INVALID_HTTP"],
    ["a second host", request("{}").replace("host: x", "host: x\r\nHOST: y"), 400, "INVALID_HTTP"],
    ["an expectation", request("{}", { expect: "magic" }), 417, "EXPECTATION_FAILED"],
    ["a tunnel", "CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n", 405, "NO_TUNNEL"],
  ])("%s gets an error in the form of D4, and is reported", async (_name, text, status, code) => {
    const reported: MalformedRequest[] = [];
    await server.start({ onMalformed: (malformed) => void reported.push(malformed) });
    const { received, closed } = await server.send(text);
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(received().slice(received().indexOf("{"))) as Record<string, unknown>;
    expect(body).toMatchObject({ code, message: expect.any(String), request_id: expect.any(String) });
    expect(body["errors"] !== undefined).toBe(status === 400);
    const logged = [...reported, ...server.served.map(({ requestId }) => ({ status, code, requestId }))];
    expect(logged).toEqual([{ status, code, requestId: body["request_id"] }]);
    expect(received()).toContain(`x-request-id: ${String(body["request_id"])}`);
    await until(closed, "the connection is closed");
  });

  test("a hundred headers are accepted, and one more is refused", async () => {
    await server.start();
    const more = (count: number) => Object.fromEntries(Array.from({ length: count - 3 }, (_, at) => [`x${at}`, "1"]));
    const { received } = await server.send(request("{}", more(100)) + request("{}", more(101)), 2);
    expect(statusesIn(received())).toEqual(["200", "431"]);
  });

  test("a client that disconnects within its body does not affect others", async () => {
    const reported: unknown[] = [];
    await server.start({ onError: (error) => void reported.push(error) });
    const { socket, closed } = await server.dial();
    socket.write(request("{", { "content-length": 10 }));
    socket.end();
    await until(closed, "it is gone");
    await expect(server.send(request("{}"))).resolves.toBeDefined();
    expect([server.served.length, reported]).toEqual([1, []]);
  });

  test("an error without a response closes the connection and is reported", async () => {
    const reported: unknown[] = [];
    const broken = new Error("no response");
    await server.start({ respond: () => Promise.reject(broken), onError: (error) => void reported.push(error) });
    const { socket, closed } = await server.dial();
    socket.write(request("{}"));
    await until(closed, "the connection is closed");
    expect(reported).toEqual([broken]);
  });

  test("the start fails if the port is in use", async () => {
    await server.start();
    const second = server.make({ port: server.port });
    await expect(second.listen()).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
