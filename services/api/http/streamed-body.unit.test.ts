import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { HttpServerUnderTest, MIB } from "../../../test/harness/http-server-under-test.ts";
import { until } from "../../../test/harness/until.ts";
import { StreamBroken } from "./http-response.ts";
import type { HttpServerOptions } from "./http-server.ts";

const GET = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/** A stream of pieces, and how far it came. */
function streamOf(count: number, bytes: number, failure?: Error) {
  const seen = { made: 0, isOver: false };
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (let piece = 0; piece < count; piece += 1) {
        seen.made += 1;
        yield Buffer.alloc(bytes, "x");
      }
      if (failure !== undefined) throw failure;
    } finally {
      seen.isOver = true;
    }
  }
  const respond: HttpServerOptions["respond"] = () => ({
    status: 200,
    headers: { "content-type": "text/plain", "cache-control": "private" },
    body: pieces(),
  });
  return { seen, respond };
}

describe("a streamed body", () => {
  const server = new HttpServerUnderTest();
  afterEach(() => server.cut());

  test("is sent in chunks, with its own Cache-Control and without a length", async () => {
    const { respond, seen } = streamOf(3, 10);
    await server.start({ respond });
    const line = await server.dial(GET + GET);
    await until(() => line.received().match(/0\r\n\r\n/g)?.length === 2, "both responses");
    expect(seen.isOver).toBe(true);
    const head = line.received().slice(0, line.received().indexOf("\r\n\r\n")).toLowerCase();
    expect(head).toContain("transfer-encoding: chunked");
    expect(head.match(/cache-control: .*/g)).toEqual(["cache-control: private"]);
    expect(head).not.toContain("content-length");
    expect(line.received().match(/x{10}/g)).toHaveLength(6);
  });

  test("is not created for a HEAD request", async () => {
    const { respond, seen } = streamOf(3, 10);
    await server.start({ respond });
    const line = await server.dial("HEAD / HTTP/1.1\r\nhost: x\r\n\r\n");
    await until(() => line.received().endsWith("\r\n\r\n"), "the headers");
    expect([seen.made, line.received().includes("xxx")]).toEqual([0, false]);
  });

  test("is created as fast as the client reads it, and ends when the client disconnects", async () => {
    const { respond, seen } = streamOf(1_000, MIB);
    await server.start({ respond });
    const line = await server.dial();
    line.socket.pause();
    line.socket.write(GET);
    const held = await countHeld(() => seen.made);
    // The buffers of a connection hold fewer pieces.
    expect(held).toBeLessThan(30);
    line.socket.resume();
    await until(() => seen.made > held + 20, "it goes on");
    line.socket.destroy();
    await until(() => seen.isOver, "it is ended");
    expect(seen.made).toBeLessThan(1_000);
  });

  test("counts as unread only while its client has not read it, however long it stays open", async () => {
    const opened = Promise.withResolvers<void>();
    async function* pieces(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(8 * MIB, "x");
      await opened.promise;
    }
    const respond: HttpServerOptions["respond"] = () => ({ status: 200, headers: {}, body: pieces() });
    await server.start({ respond, limits: { maxBufferedBytes: 20 * MIB } });
    const lines: Awaited<ReturnType<typeof server.dial>>[] = [];
    for (let count = 1; count <= 4; count += 1) {
      const line = await server.dial();
      line.socket.pause();
      line.socket.write(GET);
      lines.push(line);
      await until(() => server.served.length === count, "the piece is sent");
      line.socket.resume();
      await until(() => line.received().length > 8 * MIB, "the piece is read");
    }
    expect(lines.map(({ closed }) => closed())).toEqual([false, false, false, false]);
    expect(server.accepted.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
    opened.resolve();
    await until(() => lines.every(({ received }) => received().endsWith("0\r\n\r\n")), "the ends");
  });

  test.each([
    ["that breaks", new StreamBroken(), 0],
    ["that fails", new Error("unforeseen"), 1],
  ])(
    "%s closes its connection, so that the client does not take the body for complete",
    async (_title, failure, logged) => {
      const { respond } = streamOf(2, 10, failure);
      const errors: unknown[] = [];
      await server.start({ respond, onError: (error) => errors.push(error) });
      const line = await server.dial(GET);
      await until(() => line.closed(), "the connection is closed");
      expect(line.received()).not.toContain("0\r\n\r\n");
      expect(errors).toHaveLength(logged);
    },
  );

  test("allows the time limit for a response for each piece", async () => {
    const responseReadMs = 4_000;
    const { respond, seen } = streamOf(40, MIB);
    await server.start({ respond, limits: { responseReadMs } });
    const line = await server.dial();
    const began = performance.now();
    // Few pauses: on a busy machine each one takes longer than it should.
    let unpaused = 0;
    line.socket.on("data", (chunk) => {
      unpaused += chunk.length;
      if (unpaused < MIB) return;
      unpaused = 0;
      line.socket.pause();
      void pause(125).then(() => line.socket.resume());
    });
    line.socket.write(GET);
    // Each look at the whole text would take milliseconds of the time that is measured.
    await until(() => server.served.length === 1 || line.closed(), "the response or its end", 30_000);
    await until(() => line.received().endsWith("0\r\n\r\n") || line.closed(), "the last piece");
    expect([line.received().endsWith("0\r\n\r\n"), seen.made]).toEqual([true, 40]);
    expect(performance.now() - began).toBeGreaterThan(responseReadMs);
  });
});

/** A count once it stays the same. */
async function countHeld(count: () => number): Promise<number> {
  let before = -1;
  await until(
    () => {
      const isSame = count() === before && before > 0;
      before = count();
      return isSame;
    },
    "it waits",
    15_000,
    200,
  );
  return before;
}
