import { afterEach, expect, test } from "@jest/globals";
import { accepts } from "../../../test/harness/accepts.ts";
import { type EmbeddedNats, startNats } from "./embedded-nats.ts";

let servers: EmbeddedNats[] = [];

async function started(port?: number): Promise<EmbeddedNats> {
  const server = await startNats(port);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

test("each nats-server without a given port has a port of its own", async () => {
  const { length } = await Promise.all(Array.from({ length: 10 }, () => started()));
  expect(new Set(servers.map(({ port }) => port)).size).toBe(length);
  await expect(Promise.all(servers.map(({ port }) => accepts(port)))).resolves.not.toContain(false);
});

test("a nats-server is not taken for another one that accepts connections on its port", async () => {
  const { port } = await started();
  await expect(startNats(port)).rejects.toThrow(/^nats-server does not start: .*address already in use/);
});

test("a nats-server starts again on its port", async () => {
  const first = await started();
  await first.kill("SIGKILL");
  const second = await started(first.port);
  expect([second.port, second.url]).toEqual([first.port, first.url]);
});
