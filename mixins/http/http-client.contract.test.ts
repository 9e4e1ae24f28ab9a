import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { type HttpClient, httpClient, type HttpRequest } from "./http-client.ts";

let server: Server;
let client: HttpClient;

afterEach(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
});

async function serve(listener: RequestListener, maxBodyBytes = 1_000): Promise<HttpRequest> {
  server = createServer(listener);
  client = httpClient({ maxBodyBytes });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { method: "POST", url, headers: {}, body: "{}", timeoutMs: 5_000 };
}

describe("the HTTP client", () => {
  test("returns status, headers and body", async () => {
    const request = await serve((_request, response) => response.writeHead(418, { "x-a": "b" }).end("é"));
    await expect(client.exchange(request)).resolves.toMatchObject({ status: 418, headers: { "x-a": "b" }, body: "é" });
  });

  test("returns a redirect like any other response", async () => {
    let requests = 0;
    const request = await serve((_request, response) => {
      requests += 1;
      response.writeHead(307, { location: "/again" }).end();
    });
    await expect(client.exchange(request)).resolves.toMatchObject({ status: 307 });
    expect(requests).toBe(1);
  });

  test("reads an endless body up to the limit, and closes the connection", async () => {
    const ended = Promise.withResolvers<void>();
    const request = await serve((_request, response) => {
      const pour = (): boolean => response.write("x".repeat(500));
      response.on("drain", () => void pour());
      response.on("close", ended.resolve);
      while (pour());
    });
    await expect(client.exchange(request)).resolves.toMatchObject({ status: 200, body: "x".repeat(1_000) });
    await ended.promise;
  });

  test("does not wait for a body that trickles endlessly", async () => {
    const request = await serve((_request, response) => void response.writeHead(200).write("x"));
    const response = await client.exchange({ ...request, timeoutMs: 50 });
    expect(response).toEqual({ kind: "noResponse", reason: "timed out", mayHaveArrived: true });
  });

  test("returns no response if the connection breaks", async () => {
    const request = await serve((incoming, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("x", () => incoming.socket.resetAndDestroy());
    });
    await expect(client.exchange(request)).resolves.toMatchObject({ kind: "noResponse", reason: "ECONNRESET" });
  });

  test("returns no response if the bytes are not HTTP", async () => {
    const request = await serve((incoming) => void incoming.socket.end("SSH-2.0\r\n\r\n"));
    await expect(client.exchange(request)).resolves.toMatchObject({ kind: "noResponse" });
  });

  test("reuses connections", async () => {
    const ports = new Set<number | undefined>();
    const request = await serve((incoming, response) => {
      ports.add(incoming.socket.remotePort);
      response.end("ok");
    });
    for (let at = 0; at < 3; at += 1) {
      await client.exchange(request);
      // A connection is free one turn of the event loop after its response.
      await setImmediate();
    }
    expect(ports.size).toBe(1);
  });

  test("reports that a request which waited for a reused connection may have arrived", async () => {
    const used = new WeakSet();
    const request = await serve((incoming, response) => {
      if (used.has(incoming.socket)) incoming.socket.resetAndDestroy();
      else response.end("ok");
      used.add(incoming.socket);
    });
    const responses = await Promise.all(Array.from({ length: 70 }, () => client.exchange(request)));
    const lost = responses.filter((response) => response.kind === "noResponse");
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.filter(({ mayHaveArrived }) => !mayHaveArrived)).toEqual([]);
  });

  test("opens at most 64 connections, and a request that gets none in time certainly did not arrive", async () => {
    const replies: (() => void)[] = [];
    const allHeld = Promise.withResolvers<void>();
    const request = await serve((_request, response) => {
      replies.push(() => response.end());
      if (replies.length === 64) allHeld.resolve();
    });
    const held = Array.from({ length: 64 }, () => client.exchange(request));
    await allHeld.promise;
    await expect(client.exchange({ ...request, timeoutMs: 50 })).resolves.toMatchObject({ mayHaveArrived: false });
    for (const reply of replies) reply();
    expect((await Promise.all(held)).map(({ kind }) => kind)).not.toContain("noResponse");
    expect(replies).toHaveLength(64);
  });

  test("reports that a request on a reused connection may have arrived", async () => {
    let isFirst = true;
    const request = await serve((incoming, response) => {
      if (isFirst) response.end("ok");
      else incoming.socket.resetAndDestroy();
      isFirst = false;
    });
    await client.exchange(request);
    await expect(client.exchange(request)).resolves.toMatchObject({ reason: "ECONNRESET", mayHaveArrived: true });
  });

  test("sends nothing if the TLS handshake fails", async () => {
    let requests = 0;
    const request = await serve(() => void (requests += 1));
    const url = new URL(request.url.href.replace("http:", "https:"));
    await expect(client.exchange({ ...request, url })).resolves.toMatchObject({ mayHaveArrived: false });
    expect(requests).toBe(0);
  });

  test("closes idle connections, but not one that waits for its response", async () => {
    const closed = Promise.withResolvers<void>();
    const request = await serve((incoming, response) => {
      incoming.socket.once("close", closed.resolve);
      setTimeout(() => response.end("ok"), 100);
    });
    // The server has no limit of its own, which it would send to the client.
    server.keepAliveTimeout = 0;
    const impatient = httpClient({ maxBodyBytes: 10, idleMs: 20 });
    await expect(impatient.exchange(request)).resolves.toMatchObject({ body: "ok" });
    await closed.promise;
    impatient.close();
  });

  test("resolves names with the given resolver", async () => {
    const request = await serve((_request, response) => void response.end("ok"));
    const own = httpClient({
      maxBodyBytes: 10,
      lookup: (_name, _options, done) => done(new Error("no such host"), []),
    });
    const url = new URL(request.url.href.replace("127.0.0.1", "example.com"));
    await expect(own.exchange({ ...request, url })).resolves.toEqual({
      kind: "noResponse",
      reason: "no such host",
      mayHaveArrived: false,
    });
    own.close();
  });
});
