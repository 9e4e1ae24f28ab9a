import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { ListeningSockets } from "./listening-sockets.ts";

const BURST = 64;

describe("the sockets that listen on a port", () => {
  const clients: Socket[] = [];
  const opened: ListeningSockets[] = [];
  const open = (server: Server) => {
    const sockets = new ListeningSockets(server);
    opened.push(sockets);
    return sockets;
  };
  const dial = (port: number) => {
    const client = connect({ port, host: "127.0.0.1" });
    client.on("error", () => undefined);
    clients.push(client);
    return client;
  };

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(opened.splice(0).map((sockets) => sockets.close()));
  });

  test("accept a burst of connections in fewer iterations of the event loop than there are connections", async () => {
    const server = createServer();
    const accepted: Socket[] = [];
    server.on("connection", (socket) => accepted.push(socket));
    const port = await open(server).listen(0, "127.0.0.1", () => undefined);
    for (let each = 0; each < BURST; each += 1) dial(port);
    let turns = 0;
    for (; accepted.length < BURST; turns += 1) await new Promise(setImmediate);
    expect(turns).toBeLessThan(BURST / 2);
  });

  test("serve requests on each socket, and keep a half-closed connection", async () => {
    const server = createServer((_request, response) => setTimeout(() => response.end("served"), 20));
    Object.assign(server, { httpAllowHalfOpen: true });
    const port = await open(server).listen(0, "127.0.0.1", () => undefined);
    for (let each = 0; each < BURST; each += 1)
      dial(port).end("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    const texts = await Promise.all(
      clients.map(async (client) => (await client.setEncoding("utf8").toArray()).join("")),
    );
    expect(texts.filter((text) => text.endsWith("served"))).toHaveLength(BURST);
  });

  test("refuse a port that another process uses, even if that process shares it", async () => {
    const port = await open(createServer()).listen(0, "127.0.0.1", () => undefined);
    const second = new ListeningSockets(createServer());
    await expect(second.listen(port, "127.0.0.1", () => undefined)).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("are closed when the last connection of all sockets is closed", async () => {
    const server = createServer();
    const sockets = new ListeningSockets(server);
    const port = await sockets.listen(0, "127.0.0.1", () => undefined);
    const connections: Socket[] = [];
    server.on("connection", (socket) => connections.push(socket));
    for (let each = 0; each < BURST; each += 1) await once(dial(port), "connect");
    while (connections.length < BURST) await new Promise(setImmediate);
    let isClosed = false;
    const closing = sockets.close().then(() => (isClosed = true));
    for (const socket of connections.slice(1)) await once(socket.destroy(), "close");
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    connections[0]?.destroy();
    await closing;
    await expect(once(dial(port), "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
