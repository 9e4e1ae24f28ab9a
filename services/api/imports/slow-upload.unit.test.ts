import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { HttpServerUnderTest } from "../../../test/harness/http-server-under-test.ts";
import { until } from "../../../test/harness/until.ts";
import { refusalResponse } from "../http/http-response.ts";
import { RequestConcurrency } from "../concurrency/request-concurrency.ts";
import type { Allowed } from "../rates/admission.ts";
import { RequestRefused } from "../request-handler.ts";
import { calendarImport, IMPORT_PATH } from "./calendar-import.ts";

const BEGIN = "BEGIN:VCALENDAR\r\n";
const END = "END:VCALENDAR\r\n";
const CALENDAR = `${BEGIN}${END}`;
/** Lines of 64 KiB in all. */
const PART = `X-A:${"x".repeat(58)}\r\n`.repeat(1_024);

/** The text of an import with a key and for a guild of its own. */
function upload(name: number, body: string, length = body.length): string {
  const head = `POST ${IMPORT_PATH}?guild_id=${name}&calendar_number=1 HTTP/1.1\r\nhost: x\r\nauthorization: ${name}\r\n`;
  return `${head}content-type: text/calendar\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

describe("an upload of a calendar that is slow", () => {
  const server = new HttpServerUnderTest();
  let admitted = 0;
  let imported = 0;

  const start = async (bodyPaceMs?: number) => {
    const handler = calendarImport({
      admission: {
        admit: async ({ headers: { authorization: keyId = "" } }): Promise<Allowed> => {
          admitted += 1;
          return { caller: { keyId, kind: "operator", access: "write", guilds: [] }, standings: [] };
        },
        admitToGuild: (_guild, allowed) => allowed,
      },
      concurrency: new RequestConcurrency(),
      clock: { now: () => 0 },
      call: async () => ((imported += 1), { outcomes: [] }),
      ...(bodyPaceMs === undefined ? {} : { bodyPaceMs }),
    });
    await server.start({
      // The time for the whole request would end a slow upload as well.
      nodeLimits: { requestTimeout: 0 },
      respond: (request, requestId) =>
        handler(request, requestId).catch((error: unknown) => {
          if (!(error instanceof RequestRefused)) throw error;
          return refusalResponse(error.refusal, requestId);
        }),
    });
  };

  beforeEach(() => {
    admitted = 0;
    imported = 0;
  });
  afterEach(() => server.cut());

  test("does not keep other guilds from their imports", async () => {
    await start();
    const slow = await Promise.all([1, 2].map((name) => server.dial(upload(name, "BEGIN:", CALENDAR.length))));
    await until(() => admitted === 2, "the slow ones have begun");
    const { received } = await server.send(upload(3, CALENDAR));
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    for (const { socket } of slow) socket.write(CALENDAR.slice("BEGIN:".length));
    await until(() => slow.every((each) => each.received().startsWith("HTTP/1.1 200 ")), "the slow ones are imported");
  });

  test("gets 408 if it stops while it is read, and the next import is read", async () => {
    await start(200);
    const body = `${BEGIN}${PART}${PART}`;
    const slow = await Promise.all([1, 2].map((name) => server.dial(upload(name, body, 1_000_000))));
    await until(() => slow.every((each) => each.received().includes("REQUEST_TIMEOUT")), "the slow ones end");
    expect(slow.map((each) => each.received().slice(0, 12))).toEqual(["HTTP/1.1 408", "HTTP/1.1 408"]);
    await until(() => slow.every((each) => each.closed()), "their connections are closed");
    const { received } = await server.send(upload(3, CALENDAR));
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("is not imported if its rest arrives after the 408", async () => {
    await start(200);
    const body = `${BEGIN}${PART}${PART}`;
    const slow = await server.dial(upload(1, body, body.length + END.length), { allowHalfOpen: true });
    await until(() => slow.received().includes("REQUEST_TIMEOUT"), "the response");
    slow.socket.write(END);
    await server.nobodyLeft();
    expect(imported).toBe(0);
  });

  test("is read as long as each 64 KiB arrive in time", async () => {
    const paceMs = 1_500;
    await start(paceMs);
    const parts = [`${BEGIN}${PART}`, PART, PART, PART, PART, END];
    const { socket, received } = await server.dial(upload(1, "", parts.join("").length));
    for (const part of parts) {
      socket.write(part);
      await pause(paceMs / 3);
    }
    await until(() => received() !== "", "the response");
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("that the client breaks off ends, before and after it is read", async () => {
    await start();
    const broken = [
      server.dial(upload(1, "BEGIN:", 1_000_000)),
      server.dial(upload(2, `${BEGIN}${PART}${PART}`, 1_000_000)),
    ];
    const connections = await Promise.all(broken);
    await until(() => admitted === 2, "both have begun");
    for (const { socket } of connections) socket.destroy();
    await server.nobodyLeft();
    const { received } = await server.send(upload(1, CALENDAR));
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  });
});
