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

describe("one request and its answer", () => {
  test("the answer is told with status, headers and body", async () => {
    const request = await serve((_request, response) => response.writeHead(418, { "x-a": "b" }).end("é"));
    await expect(client.exchange(request)).resolves.toMatchObject({ status: 418, headers: { "x-a": "b" }, body: "é" });
  });

  test("a redirect is an answer like any other", async () => {
    let requests = 0;
    const request = await serve((_request, response) => {
      requests += 1;
      response.writeHead(307, { location: "/again" }).end();
    });
    await expect(client.exchange(request)).resolves.toMatchObject({ status: 307 });
    expect(requests).toBe(1);
  });

  test("an endless body is read up to the limit, and the connection ended", async () => {
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

  test("a body that trickles without end is not waited for", async () => {
    const request = await serve((_request, response) => void response.writeHead(200).write("x"));
    const answer = await client.exchange({ ...request, timeoutMs: 50 });
    expect(answer).toEqual({ kind: "unanswered", reason: "timed out", mayHaveArrived: true });
  });

  test("an answer that breaks off is none", async () => {
    const request = await serve((incoming, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("x", () => incoming.socket.resetAndDestroy());
    });
    await expect(client.exchange(request)).resolves.toMatchObject({ kind: "unanswered", reason: "ECONNRESET" });
  });

  test("what is no HTTP is no answer", async () => {
    const request = await serve((incoming) => void incoming.socket.end("SSH-2.0\r\n\r\n"));
    await expect(client.exchange(request)).resolves.toMatchObject({ kind: "unanswered" });
  });

  test("connections are used again", async () => {
    const ports = new Set<number | undefined>();
    const request = await serve((incoming, response) => {
      ports.add(incoming.socket.remotePort);
      response.end("ok");
    });
    for (let at = 0; at < 3; at += 1) {
      await client.exchange(request);
      // A connection is free again in the turn of the event loop after its answer.
      await setImmediate();
    }
    expect(ports.size).toBe(1);
  });

  test("so may one that waited for a connection and got one that was used before", async () => {
    const used = new WeakSet();
    const request = await serve((incoming, response) => {
      if (used.has(incoming.socket)) incoming.socket.resetAndDestroy();
      else response.end("ok");
      used.add(incoming.socket);
    });
    const answers = await Promise.all(Array.from({ length: 70 }, () => client.exchange(request)));
    const lost = answers.filter((answer) => answer.kind === "unanswered");
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.filter(({ mayHaveArrived }) => !mayHaveArrived)).toEqual([]);
  });

  test("at most 64 connections are open at once, and what finds none free in time surely did not arrive", async () => {
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
    expect((await Promise.all(held)).map(({ kind }) => kind)).not.toContain("unanswered");
    expect(replies).toHaveLength(64);
  });

  test("a request on a connection that is used again may have arrived", async () => {
    let isFirst = true;
    const request = await serve((incoming, response) => {
      if (isFirst) response.end("ok");
      else incoming.socket.resetAndDestroy();
      isFirst = false;
    });
    await client.exchange(request);
    await expect(client.exchange(request)).resolves.toMatchObject({ reason: "ECONNRESET", mayHaveArrived: true });
  });

  test("without encryption where it is to be, nothing is sent", async () => {
    let requests = 0;
    const request = await serve(() => void (requests += 1));
    const url = new URL(request.url.href.replace("http:", "https:"));
    await expect(client.exchange({ ...request, url })).resolves.toMatchObject({ mayHaveArrived: false });
    expect(requests).toBe(0);
  });

  test("a connection that is not used is closed after a while, and one that waits for its answer is not", async () => {
    const closed = Promise.withResolvers<void>();
    const request = await serve((incoming, response) => {
      incoming.socket.once("close", closed.resolve);
      setTimeout(() => response.end("ok"), 100);
    });
    // Without its own limit, which it would tell the client.
    server.keepAliveTimeout = 0;
    const impatient = httpClient({ maxBodyBytes: 10, idleMs: 20 });
    await expect(impatient.exchange(request)).resolves.toMatchObject({ body: "ok" });
    await closed.promise;
    impatient.close();
  });

  test("names are resolved by the resolver that was given", async () => {
    const request = await serve((_request, response) => void response.end("ok"));
    const own = httpClient({
      maxBodyBytes: 10,
      lookup: (_name, _options, done) => done(new Error("no such host"), []),
    });
    const url = new URL(request.url.href.replace("127.0.0.1", "example.com"));
    await expect(own.exchange({ ...request, url })).resolves.toEqual({
      kind: "unanswered",
      reason: "no such host",
      mayHaveArrived: false,
    });
    own.close();
  });
});
