import { afterEach, describe, expect, test } from "@jest/globals";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { HttpServerUnderTest, MIB, request, statusesIn } from "../../../test/harness/http-server-under-test.ts";
import { until } from "../../../test/harness/until.ts";
import { jsonResponse } from "./http-response.ts";

describe("a connection to the HTTP server", () => {
  const server = new HttpServerUnderTest();
  afterEach(() => server.cut());

  test("responses to pipelined requests are in the order of the requests", async () => {
    await server.start();
    const { received } = await server.send(request('{"a":1}') + request('{"b":1}'), 2);
    expect(received()).toMatch(/\{"got":\["a"\]\}[^]*\{"got":\["b"\]\}/);
  });

  test.each([
    ["headers", "POST /x HTTP/1.1\r\nhost: x\r\n"],
    ["a body", request("{", { "content-length": 10 })],
    ["nothing at all", ""],
    ["a second request", `${request("{}")}POST /x HTTP/1.1\r\n`],
  ])("an incomplete request times out with 408 and its connection is closed: %s", async (_name, text) => {
    await server.start({ nodeLimits: { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 } });
    const { received } = await server.dial(text, { allowHalfOpen: true });
    await until(() => /HTTP\/1\.1 408 [^]*REQUEST_TIMEOUT/.test(received()), "the response");
    await server.nobodyLeft();
    expect(statusesIn(received()).at(-1)).toBe("408");
  });

  test("an idle connection is closed after the time limit", async () => {
    await server.start({ nodeLimits: { keepAliveTimeout: 1 } });
    const { received, closed } = await server.send(request("{}"));
    await until(closed, "the connection is closed");
    expect(statusesIn(received())).toEqual(["200"]);
  });

  test("32 pipelined requests are served, and those after the 33rd are not parsed", async () => {
    const held = Promise.withResolvers<void>();
    let parsed = 0;
    const count = () => (parsed += 1);
    subscribe("http.server.request.start", count);
    await server.start({ respond: async () => (await held.promise, jsonResponse(200, {})) });
    const { socket, closed } = await server.dial();
    const many = request("{}").repeat(50_000);
    let isTaken = false;
    socket.write(many, () => (isTaken = true));
    await until(() => isTaken, "the server has read nearly all");
    unsubscribe("http.server.request.start", count);
    held.resolve();
    await until(closed, "the connection is closed");
    expect(server.served.map(({ status }) => status)).toEqual([429, ...Array.from({ length: 32 }, () => 200)]);
    // The input that arrived in one read with the last request.
    expect(parsed).toBeLessThan(5_000);
  });

  test("an error in the input after a running request does not look like the response to that request", async () => {
    const held = Promise.withResolvers<void>();
    let begun = false;
    await server.start({ respond: async () => ((begun = true), await held.promise, jsonResponse(200, {})) });
    const { socket, received, closed } = await server.dial();
    socket.write(request("{}"));
    await until(() => begun, "it is under way");
    socket.write("hello\r\n\r\n");
    await until(closed, "the connection is closed");
    held.resolve();
    await until(() => server.served.length === 1, "the response is given to nobody");
    expect(received()).toBe("");
  });

  test("of 33 pipelined requests the last one gets 429 with Retry-After", async () => {
    const held = Promise.withResolvers<void>();
    await server.start({ respond: async () => (await held.promise, jsonResponse(200, {})) });
    const { socket, received, closed } = await server.dial();
    socket.write(request("{}").repeat(33));
    await until(() => server.served.length === 1, "the one too many is refused");
    held.resolve();
    await until(closed, "the connection is closed");
    expect(statusesIn(received())).toEqual([...Array.from({ length: 32 }, () => "200"), "429"]);
    expect(received()).toMatch(/retry-after: 1[^]*connection: close[^]*"code":"TOO_MANY_REQUESTS"/);
  });

  test("a connection whose client never reads the response is closed, and one that is read late is not", async () => {
    const large = "x".repeat(16 * MIB);
    await server.start({ limits: { responseReadMs: 50 }, respond: async () => jsonResponse(200, { large }) });
    const { socket, received } = await server.dial();
    socket.pause();
    socket.write(request("{}"));
    await until(() => server.served.length === 1, "the response is given");
    await server.nobodyLeft();
    socket.resume();
    await until(() => socket.closed, "the connection is closed");
    expect(received().length).toBeLessThan(large.length);

    await server.start({ respond: async () => jsonResponse(200, { large }) });
    const line = await server.dial();
    line.socket.pause();
    line.socket.write(request("{}"));
    await until(() => server.served.length === 1, "the response is given");
    line.socket.resume();
    await until(() => line.received().endsWith('"}'), "all of it is there");
  });

  test("a response in pieces reaches a slow reader completely, and a connection that nobody reads is closed", async () => {
    const pieces = Array.from({ length: 64 }, (_, at) => Buffer.alloc(MIB / 4, `${at % 10}`));
    const whole = async () => ({ status: 200, headers: {}, body: pieces });
    await server.start({ respond: whole });
    const { socket, received } = await server.dial();
    socket.pause();
    socket.write(request("{}").repeat(2));
    await until(() => server.accepted.some(({ writableLength }) => writableLength > 0), "the response waits");
    expect(server.accepted.at(-1)!.writableLength).toBeLessThan(MIB);
    socket.resume();
    await until(() => received().length > 2 * 16 * MIB && server.served.length === 2, "both responses");
    const [, first, second] = received().split(/HTTP\/1\.1 200 [^]*?\r\n\r\n/);
    expect([first, second]).toEqual([pieces.join(""), pieces.join("")]);

    await server.start({ limits: { responseReadMs: 50 }, respond: whole });
    const line = await server.dial();
    line.socket.pause();
    line.socket.write(request("{}"));
    await until(() => server.served.length === 3, "it is over for the server");
    await until(() => server.accepted.at(-1)!.destroyed, "the connection is cut");
  });

  test("a client that shuts down its side after its request gets the response, and the connection is closed", async () => {
    const held = Promise.withResolvers<void>();
    let begun = 0;
    await server.start({ respond: async () => ((begun += 1), await held.promise, jsonResponse(200, { done: true })) });
    const { socket, received } = await server.dial("", { allowHalfOpen: true });
    socket.end(request("{}"));
    const pipelined = await server.dial("", { allowHalfOpen: true });
    pipelined.socket.end(request("{}").repeat(2));
    await until(() => begun === 3, "the requests are under way");
    held.resolve();
    await until(() => received().endsWith('{"done":true}'), "the response");
    await until(() => statusesIn(pipelined.received()).length === 2, "both responses");
    await server.nobodyLeft();
    expect([received(), pipelined.received()].map((text) => statusesIn(text).length)).toEqual([1, 2]);
  });

  test("a connection whose client shuts down its side within a request is closed", async () => {
    await server.start();
    for (const half of ["", "POST /x HTTP/1.1\r\n", request("{", { "content-length": 10 })]) {
      const { socket } = await server.dial("", { allowHalfOpen: true });
      socket.end(half);
    }
    await server.nobodyLeft();
    expect(server.served).toEqual([]);
  });

  test("a stop closes idle connections, completes requests in flight, and accepts no new connection", async () => {
    const held = Promise.withResolvers<void>();
    let begun = false;
    await server.start({
      respond: async ({ url }) => {
        if (url === "/quick") return jsonResponse(200, {});
        begun = true;
        await held.promise;
        return jsonResponse(200, { done: true });
      },
    });
    const fresh = await server.dial();
    const idle = await server.send("GET /quick HTTP/1.1\r\nhost: x\r\n\r\n");
    const busy = await server.dial();
    busy.socket.write(request("{}"));
    await until(() => begun, "the request is in flight");
    const stopped = server.stop(60_000);
    await until(() => fresh.closed() && idle.closed(), "the connections without a request are closed");
    await expect(server.dial()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(busy.closed()).toBe(false);
    held.resolve();
    await stopped;
    await until(busy.closed, "the busy connection is closed");
    expect(busy.received()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*\{"done":true\}$/i);
  });

  test("a request on an open connection during a stop gets its response with Connection: close", async () => {
    await server.start({ respond: async () => jsonResponse(200, {}) });
    const { socket, received, closed } = await server.send("GET /x HTTP/1.1\r\nhost: x\r\n\r\n");
    const stopped = server.stop(60_000);
    socket.write("GET /x HTTP/1.1\r\nhost: x\r\n\r\n");
    await until(closed, "the connection is closed");
    expect(received().match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    expect(received()).toMatch(/connection: close[^]*$/i);
    await stopped;
  });

  test("a stop completes a response that is being read on a keep-alive connection", async () => {
    const large = "x".repeat(16 * MIB);
    await server.start({ limits: { closeNoticeMs: 0 }, respond: async () => jsonResponse(200, { large }) });
    const { socket, received, closed } = await server.dial();
    socket.pause();
    socket.write(request("{}"));
    await until(() => server.served.length === 1, "the response is given");
    const stopped = server.stop(60_000);
    const isRefused = async () => {
      const line = await server.dial().catch(() => undefined);
      line?.socket.destroy();
      return line === undefined;
    };
    await until(isRefused, "nobody new is taken");
    socket.resume();
    await stopped;
    await until(closed, "the connection is closed");
    expect(received().slice(-2)).toBe('"}');
  });

  test("a stop ends after the time limit", async () => {
    let begun = false;
    await server.start({ respond: () => ((begun = true), new Promise(() => undefined)) });
    const { socket, closed } = await server.dial();
    socket.write(request("{}"));
    await until(() => begun, "the request is in flight");
    await server.stop(50);
    await until(closed, "the connection is cut");
    expect(server.served).toEqual([]);
  });
});
