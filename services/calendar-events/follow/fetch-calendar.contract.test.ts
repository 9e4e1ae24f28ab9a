import { BlockList } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { downloader } from "../../../mixins/http/download.ts";
import type { ResolveAll } from "../../../mixins/http/target-guard.ts";
import {
  calendarBody,
  type CalendarServer,
  startCalendarServer,
  vevent,
} from "../../../test/harness/calendar-server.ts";
import { fetchCalendar } from "./fetch-calendar.ts";

const body = calendarBody([vevent("a", "20300101T100000Z")], "REFRESH-INTERVAL;VALUE=DURATION:PT1H\n");

describe("the read of an address that a calendar follows", () => {
  let server: CalendarServer;
  const closes: (() => void)[] = [];

  beforeEach(async () => {
    server = await startCalendarServer();
  });
  afterEach(async () => {
    for (const close of closes.splice(0)) close();
    await server.close();
  });

  function read(url = server.url, validators = {}, options: Partial<Parameters<typeof downloader>[0]> = {}) {
    const downloads = downloader({ allowPrivate: true, ...options });
    closes.push(() => downloads.close());
    return fetchCalendar(downloads, url, validators, new AbortController().signal);
  }

  const errorOf = async (result = read()) => {
    const found = await result;
    return found.kind === "failed" ? found.error : found.kind;
  };

  test("returns the calendar with its validators, and asks for an unencoded body", async () => {
    const lastModified = "Tue, 01 Jan 2030 00:00:00 GMT";
    server.respond((_request, response) =>
      response.writeHead(200, { etag: '"1"', "last-modified": lastModified, "content-type": "text/plain" }).end(body),
    );
    expect(await read()).toMatchObject({
      kind: "calendar",
      etag: '"1"',
      lastModified,
      scanned: { events: [{ uid: "a" }], refreshInterval: "PT1H" },
    });
    expect(server.requests[0]?.headers).toMatchObject({ "accept-encoding": "identity" });
    expect(server.requests[0]?.headers).not.toHaveProperty("if-none-match");
  });

  test("with validators reads nothing if the calendar is the same", async () => {
    server.serve(body, '"1"');
    expect(await read(server.url, { etag: '"1"', lastModified: "then" })).toEqual({ kind: "notModified" });
    expect(server.requests[0]?.headers).toMatchObject({ "if-none-match": '"1"', "if-modified-since": "then" });
    expect(await read(server.url, { etag: '"2"' })).toMatchObject({ kind: "calendar" });
  });

  test("fails with a 304 that was not asked for, with any other status, and waits as long as the response requires", async () => {
    for (const status of [304, 204, 401, 404, 410, 500]) {
      server.respond((_request, response) => response.writeHead(status).end());
      expect(await errorOf()).toBe("HTTP_STATUS");
    }
    server.respond((_request, response) => response.writeHead(503, { "retry-after": "120" }).end());
    expect(await read()).toMatchObject({ error: "HTTP_STATUS", retryAfterMs: 120_000 });
  });

  test("follows five redirects, and no more", async () => {
    let redirects = 5;
    server.respond((request, response) => {
      const at = Number(new URL(request.url ?? "", server.base).searchParams.get("at") ?? 0);
      if (at === redirects) response.writeHead(200).end(body);
      else response.writeHead([301, 302, 303, 307, 308][at % 5] ?? 302, { location: `/next?at=${at + 1}` }).end();
    });
    expect(await read()).toMatchObject({ kind: "calendar" });
    redirects = 6;
    expect(await errorOf()).toBe("TOO_MANY_REDIRECTS");
    expect(server.requests).toHaveLength(12);
  });

  test("refuses a private address before a connection, also one that a name or a redirect leads to", async () => {
    const inside = await startCalendarServer();
    closes.push(() => void inside.close());
    inside.serve(body);
    expect(await errorOf(read(server.url, {}, { allowPrivate: false }))).toBe("TARGET_REFUSED");
    const named = read(
      "https://calendar.example/a.ics",
      {},
      { allowPrivate: false, resolve: (_name, done) => done(null, [{ address: "127.0.0.1", family: 4 }]) },
    );
    expect(await errorOf(named)).toBe("TARGET_REFUSED");
    for (const location of [
      "ftp://calendar.example/a",
      "http://8.8.8.8/a.ics",
      "file:///etc/passwd",
      "http://[",
      "https://u:p@",
    ]) {
      server.respond((_request, response) => response.writeHead(302, { location }).end());
      expect(await errorOf()).toBe("TARGET_REFUSED");
    }
    expect(inside.requests).toHaveLength(0);
  });

  test("of an allowed network refuses a redirect to an address inside that is not in it, before a connection", async () => {
    const inside = await startCalendarServer("127.0.0.2");
    closes.push(() => void inside.close());
    inside.serve(body);
    const allowPrivate = new BlockList();
    allowPrivate.addAddress("127.0.0.1");
    const resolve: ResolveAll = (_name, done) => done(null, [{ address: "127.0.0.2", family: 4 }]);
    const { port } = new URL(inside.url);
    for (const host of ["127.0.0.2", "inside.example", "[::1]", "169.254.169.254", "10.0.0.1"]) {
      server.respond((_request, response) => response.writeHead(302, { location: `http://${host}:${port}/` }).end());
      expect(await errorOf(read(server.url, {}, { allowPrivate, resolve }))).toBe("TARGET_REFUSED");
    }
    expect([server.requests.length, inside.requests.length]).toEqual([5, 0]);
    server.serve(body);
    expect(await errorOf(read(server.url, {}, { allowPrivate, resolve }))).toBe("calendar");
  });

  test("checks the addresses of a redirect as those of the first request", async () => {
    const resolved: string[] = [];
    server.respond((_request, response) => response.writeHead(302, { location: "http://inside.example/a.ics" }).end());
    const result = read(
      server.url,
      {},
      {
        // A public address by http is refused, whatever the setting allows.
        resolve(name, done) {
          resolved.push(name);
          done(null, [{ address: "8.8.8.8", family: 4 }]);
        },
      },
    );
    expect(await errorOf(result)).toBe("TARGET_REFUSED");
    expect(resolved).toEqual(["inside.example"]);
  });

  test("fails with a body that is larger than 10 MiB, with or without its length", async () => {
    const large = calendarBody([vevent("a", "20300101T100000Z", `\nCOMMENT:${"x".repeat(10 * 1_048_576)}`)]);
    server.respond((_request, response) => response.writeHead(200, { "content-length": large.length }).end(large));
    expect(await errorOf()).toBe("TOO_LARGE");
    server.respond((_request, response) => response.writeHead(200).end(large));
    expect(await errorOf()).toBe("TOO_LARGE");
  });

  test("fails with a body that is truncated, encoded, or no calendar", async () => {
    server.serve(body.slice(0, -30));
    expect(await errorOf()).toBe("NOT_A_CALENDAR");
    server.serve("<!doctype html><title>Sign in</title>");
    expect(await errorOf()).toBe("NOT_A_CALENDAR");
    server.serve("");
    expect(await errorOf()).toBe("NOT_A_CALENDAR");
    server.respond((_request, response) => response.writeHead(200, { "content-length": body.length + 1 }).end(body));
    expect(await errorOf()).toBe("NO_RESPONSE");
    server.respond((_request, response) => {
      response.writeHead(200).write(body.slice(0, 40), () => response.destroy());
    });
    expect(await errorOf()).toBe("NO_RESPONSE");
    server.respond((_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(body)));
    expect(await errorOf()).toBe("CONTENT_ENCODING");
  });

  test("ends when the process stops, also while the name of the host is resolved", async () => {
    const stopping = new AbortController();
    const downloads = downloader({ allowPrivate: true, resolve: () => setImmediate(() => stopping.abort()) });
    closes.push(() => downloads.close());
    const ended = fetchCalendar(downloads, "http://never-resolved.example/", {}, stopping.signal);
    expect(await errorOf(ended)).toBe("TIMED_OUT");
  });

  test("ends when the process stops, also in the middle of a body", async () => {
    const stopping = new AbortController();
    const downloads = downloader({ allowPrivate: true });
    closes.push(() => downloads.close());
    server.respond((_request, response) => {
      response.writeHead(200).write(body.slice(0, 40), () => stopping.abort());
    });
    expect(await errorOf(fetchCalendar(downloads, server.url, {}, stopping.signal))).toBe("TIMED_OUT");
    expect(await errorOf(read("http://127.0.0.1:1/"))).toBe("NO_RESPONSE");
  });
});
