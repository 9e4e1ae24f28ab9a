import { afterEach, describe, expect, test } from "@jest/globals";
import {
  HttpServerUnderTest,
  type ClientConnection,
  MIB,
  request,
  statusesIn,
} from "../../../test/harness/http-server-under-test.ts";
import { until } from "../../../test/harness/until.ts";
import { jsonResponse } from "./http-response.ts";

describe("the connection limits of the HTTP server", () => {
  const server = new HttpServerUnderTest();
  afterEach(() => server.cut());

  test("a connection over the limit is closed at once, and open connections stay", async () => {
    const held = Promise.withResolvers<void>();
    let full = 0;
    let begun = 0;
    await server.start({
      limits: { maxConnections: 2 },
      onConnectionLimit: () => (full += 1),
      respond: async () => ((begun += 1), await held.promise, jsonResponse(200, {})),
    });
    const connections = [await server.dial(), await server.dial()];
    for (const { socket } of connections) socket.write(request("{}"));
    await until(() => begun === 2, "both are busy");
    const third = await server.dial();
    await until(third.closed, "the third is closed");
    held.resolve();
    await until(() => connections.every(({ received }) => received().endsWith("}")), "the others are answered");
    expect([full, ...connections.map(({ received }) => statusesIn(received())[0])]).toEqual([1, "200", "200"]);
  });

  test("the connection that has been idle for longest is closed in favour of a new one", async () => {
    await server.start({ limits: { maxConnections: 2 } });
    const [one, other] = [await server.send(request("{}")), await server.send(request("{}"))];
    one.socket.write(request("{}"));
    await until(() => statusesIn(one.received()).length === 2, "the first was busy last");
    await server.send(request("{}"));
    await until(other.closed, "the longest idle connection is closed");
    expect(one.closed()).toBe(false);
  });

  test.each([
    ["body", request("{", { "content-length": 9 })],
    ["head", "POST /x HTTP/1.1\r\n"],
  ])("the connection whose %s is incomplete for longest is closed before an idle one", async (_name, half) => {
    await server.start({ limits: { maxConnections: 4 } });
    const idle = await server.send(request("{}"));
    const [slowest, slow] = [await server.dial(half), await server.dial(half)];
    await until(() => server.accepted.every(({ bytesRead }) => bytesRead > 0), "all of it has arrived");
    const busy = await server.send(request("{}"));
    await server.send(request("{}"));
    await until(slowest.closed, "the slowest is closed");
    expect([slow.closed(), idle.closed(), busy.closed()]).toEqual([false, false, false]);
    slow.socket.write('"a":1}   ');
  });

  test("over the limit of an address, a connection of that address is closed, and none of other addresses", async () => {
    let calls = 0;
    const addressOf = () => ((calls += 1) % 3 === 0 ? "other" : "one");
    await server.start({ limits: { maxConnectionsPerAddress: 2 }, addressOf });
    const first = await server.send(request("{}"));
    const second = await server.send(request("{}"));
    const ofOther = await server.send(request("{}"));
    await server.send(request("{}"));
    await until(first.closed, "the longest idle connection of the address is closed");
    expect([second.closed(), ofOther.closed()]).toEqual([false, false]);
  });

  test("connections of trusted proxies have no limit per address", async () => {
    await server.start({ limits: { maxConnectionsPerAddress: 1 }, addressOf: () => undefined });
    const connections = [
      await server.send(request("{}")),
      await server.send(request("{}")),
      await server.send(request("{}")),
    ];
    expect(connections.map(({ closed }) => closed())).toEqual([false, false, false]);
  });

  test("an address whose connections all wait for responses gets no further one until a response was sent", async () => {
    const held = Promise.withResolvers<void>();
    let [begun, full] = [0, 0];
    await server.start({
      limits: { maxConnectionsPerAddress: 1 },
      addressOf: () => "one",
      onConnectionLimit: () => (full += 1),
      respond: async () => ((begun += 1), await held.promise, jsonResponse(200, {})),
    });
    const busy = await server.dial(request("{}"));
    await until(() => begun === 1, "it is busy");
    await until((await server.dial()).closed, "the next is closed");
    held.resolve();
    await until(() => busy.received().endsWith("}"), "the response");
    await server.send(request("{}"));
    expect(full).toBe(1);
  });

  test("the bytes of unread responses are limited over all connections, and the slowest reader is closed", async () => {
    const large = { large: "x".repeat(8 * MIB) };
    await server.start({ limits: { maxBufferedBytes: 20 * MIB }, respond: async () => jsonResponse(200, large) });
    const connections: ClientConnection[] = [];
    for (let at = 0; at < 3; at += 1) {
      const line = await server.dial();
      line.socket.pause();
      line.socket.write(request("{}"));
      connections.push(line);
      await until(() => server.served.length === at + 1, "the response is given");
    }
    await until(() => server.accepted[0]!.destroyed, "the slowest is closed");
    for (const { socket } of connections) socket.resume();
    await until(() => connections.slice(1).every(({ received }) => received().endsWith('"}')), "the others get theirs");
    expect(connections[0]!.received().length).toBeLessThan(8 * MIB);
  });
});
