import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { guildcalClient, isApiError, isNoResponseError } from "./index.ts";

/** A received request. */
interface Received {
  readonly url: string | undefined;
  readonly method: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
  readonly at: number;
}

type Reply = (response: ServerResponse) => void;

const EVENT = { guild_id: "375357265198317579", calendar_number: 1, epoch_start: 1_893_783_600_000 } as const;
const CREATE = { ...EVENT, epoch_end: EVENT.epoch_start };
const UPDATE = { guild_id: "1", calendar_number: 1, event_id: "e1", name: "Raid" } as const;

function json(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

const refused = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(status, { message: `Refused: ${code}`, code, request_id: "r1" }, headers);
const created = json(200, { message: "Event created", id: "e1" }, { etag: '"1"', "x-request-id": "r2" });
const cut: Reply = (response) => response.destroy();
const silent: Reply = () => undefined;
const proxyPage: Reply = (response) =>
  response.writeHead(502, { "content-type": "text/html" }).end("<html>Bad gateway</html>");

describe("the client", () => {
  const received: Received[] = [];
  const replies: Reply[] = [];
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url, method, headers } = request;
    const sent = await text(request);
    const body: unknown = sent.startsWith("BEGIN:") ? sent : JSON.parse(sent);
    received.push({ url, method, headers, body, at: performance.now() });
    (replies.shift() ?? refused(500, "INTERNAL"))(response);
  }
  const server = createServer((request, response) => void receive(request, response));
  let baseUrl: string;

  beforeAll(async () => {
    await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    received.length = 0;
    replies.length = 0;
  });

  const client = (options: Partial<Parameters<typeof guildcalClient>[0]> = {}) =>
    guildcalClient({ baseUrl, key: "gc_key", ...options });
  const respond = (...all: Reply[]) => void replies.push(...all);

  test("sends a dry run with dry_run and without an Idempotency-Key, and repeats it as a read", async () => {
    replies.push(proxyPage, json(200, { appear: 12, move: 1 }));
    const { data } = await client().dryRun("/v2/events/create", CREATE);
    expect(data).toMatchObject({ appear: 12, move: 1 });
    expect(received.map(({ body, headers }) => [body, "idempotency-key" in headers])).toEqual([
      [{ ...CREATE, dry_run: true }, false],
      [{ ...CREATE, dry_run: true }, false],
    ]);
    replies.push(refused(412, "REVISION_MISMATCH"));
    await expect(client().dryRun("/v2/events/update", UPDATE, { ifMatch: '"1"' })).rejects.toMatchObject({
      status: 412,
    });
    expect(received.at(-1)?.headers["if-match"]).toBe('"1"');
  });

  test("sends an import as it is, with its calendar in the query, and repeats it", async () => {
    respond(cut, json(200, { complete: true }, { "x-request-id": "r3" }));
    const query = { guild_id: 375357265198317579n, calendar_number: 1, dry_run: undefined };
    const body = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";
    const { data, requestId } = await client().importCalendar(query, body);
    expect([data, requestId]).toEqual([{ complete: true }, "r3"]);
    expect(received).toHaveLength(2);
    const { url, headers } = received[1]!;
    expect([url, received[1]!.body]).toEqual([
      "/v2/calendar/import?guild_id=375357265198317579&calendar_number=1",
      body,
    ]);
    expect(headers).toMatchObject({ authorization: "Bearer gc_key", "content-type": "text/calendar; charset=utf-8" });
  });

  test("sends JSON with the key, below the path of its address, and returns data, revision and request id", async () => {
    respond(created);
    const { data, etag, requestId } = await client({ baseUrl: `${baseUrl}/calendar/` }).request("/v2/events/create", {
      ...CREATE,
      guild_id: 375357265198317579n,
    });
    expect([data, etag, requestId]).toEqual([{ message: "Event created", id: "e1" }, '"1"', "r2"]);
    expect(received).toMatchObject([
      {
        method: "POST",
        url: "/calendar/v2/events/create",
        headers: { authorization: "Bearer gc_key", "content-type": "application/json" },
        body: CREATE,
      },
    ]);
  });

  test("sends an Idempotency-Key with a create, a new one for each call, and the same one in every attempt of a call", async () => {
    respond(cut, proxyPage, refused(503, "OUTCOME_UNKNOWN", { "retry-after": "0" }), created, created);
    await client().request("/v2/events/create", CREATE);
    await client().request("/v2/events/create", CREATE);
    const names = received.map(({ headers }) => headers["idempotency-key"]);
    expect(names).toHaveLength(5);
    expect(new Set(names.slice(0, 4)).size).toBe(1);
    expect(names[0]).toMatch(/^[\da-f-]{36}$/);
    expect(names[4]).not.toBe(names[0]);
  });

  test("sends a given Idempotency-Key, which is also in the error of a create with an unknown outcome", async () => {
    respond(refused(500, "INTERNAL"));
    const creating = client().request("/v2/events/create", CREATE, { idempotencyKey: "raid-2030" });
    await expect(creating).rejects.toMatchObject({ code: "INTERNAL", idempotencyKey: "raid-2030" });
    expect(received[0]?.headers["idempotency-key"]).toBe("raid-2030");
  });

  test.each<[string, Reply, object]>([
    ["a lost connection", cut, { name: "NoResponseError" }],
    ["the page of a proxy", proxyPage, { name: "ApiError", code: "UNEXPECTED_RESPONSE", status: 502 }],
    [
      "OUTCOME_UNKNOWN",
      refused(503, "OUTCOME_UNKNOWN", { "retry-after": "6" }),
      { code: "OUTCOME_UNKNOWN", retryAfterMs: 6_000 },
    ],
  ])("does not repeat an update after %s: it may have been done", async (_what, reply, error) => {
    respond(reply);
    await expect(client().request("/v2/events/update", UPDATE)).rejects.toMatchObject(error);
    expect(received).toHaveLength(1);
    expect(received[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  test("repeats a read after a lost connection", async () => {
    respond(cut, json(200, { events: [] }));
    const { data } = await client().request("/v2/events/list/date", EVENT);
    expect([data, received.length]).toEqual([{ events: [] }, 2]);
  });

  test("repeats an update that changed nothing, not before Retry-After, and with the same If-Match", async () => {
    respond(
      refused(429, "TOO_MANY_REQUESTS", { "retry-after": "1" }),
      refused(503, "UNAVAILABLE"),
      json(200, { message: "Event updated" }, { etag: '"8"' }),
    );
    const { etag } = await client().request("/v2/events/update", UPDATE, { ifMatch: ['"6"', '"7"'] });
    expect(etag).toBe('"8"');
    expect(received.map(({ headers }) => headers["if-match"])).toEqual(['"6", "7"', '"6", "7"', '"6", "7"']);
    expect(received[1]!.at - received[0]!.at).toBeGreaterThanOrEqual(995);
  });

  test("makes at most the given number of attempts, and rejects with the last error", async () => {
    respond(...Array.from({ length: 9 }, () => refused(503, "UNAVAILABLE", { "retry-after": "0" })));
    const reading = client({ maxAttempts: 3 }).request("/v2/events/list/date", EVENT);
    await expect(reading).rejects.toMatchObject({ code: "UNAVAILABLE", status: 503, requestId: "r1" });
    expect(received).toHaveLength(3);
  });

  test("rejects at once if Retry-After is longer than its timeout", async () => {
    respond(refused(429, "TOO_MANY_REQUESTS", { "retry-after": "42" }));
    const began = performance.now();
    const reading = client().request("/v2/events/list/date", EVENT);
    await expect(reading).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS", retryAfterMs: 42_000 });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("ends an attempt without a response, and makes another one within its timeout", async () => {
    respond(silent, json(200, { events: [] }), silent);
    const hasty = client({ attemptTimeoutMs: 200 });
    await expect(hasty.request("/v2/events/list/date", EVENT)).resolves.toMatchObject({ data: { events: [] } });
    const reading = hasty.request("/v2/events/list/date", EVENT, { timeoutMs: 150 });
    const error: unknown = await reading.catch((reason: unknown) => reason);
    expect([isNoResponseError(error), isApiError(error), received.length]).toEqual([true, false, 3]);
  });

  test.each<[string, Reply]>([
    ["while a response is awaited", silent],
    ["between two attempts", refused(503, "UNAVAILABLE", { "retry-after": "20" })],
  ])("ends with the reason of the caller's signal %s", async (_when, reply) => {
    const ending = new AbortController();
    respond((response) => {
      reply(response);
      setTimeout(() => ending.abort(new Error("the bot stops")), 100);
    });
    const began = performance.now();
    const reading = client().request("/v2/events/list/date", EVENT, { signal: ending.signal });
    await expect(reading).rejects.toThrow("the bot stops");
    expect(performance.now() - began).toBeLessThan(5_000);
    const again = client().request("/v2/events/list/date", EVENT, { signal: ending.signal });
    await expect(again).rejects.toThrow("the bot stops");
    expect(received).toHaveLength(1);
  });

  test("has every bad field of a request in its error, and recognizes an error by its code", async () => {
    const errors = [{ field: "hours", code: "OUT_OF_RANGE", message: "must be at least 0" }];
    respond(json(400, { message: "Bad request", code: "INVALID_REQUEST", request_id: "r1", errors }));
    const error: unknown = await client()
      .request("/v2/events/list/date", EVENT)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: "INVALID_REQUEST: Bad request", errors, status: 400 });
    expect(isApiError(error) && isApiError(error, "FORBIDDEN", "INVALID_REQUEST")).toBe(true);
    expect([isApiError(error, "FORBIDDEN"), isApiError(new Error("other")), isApiError(undefined)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("follows no redirect, which would change the request", async () => {
    respond((response) => response.writeHead(301, { location: `${baseUrl}/elsewhere` }).end());
    const reading = client().request("/v2/events/list/date", EVENT);
    await expect(reading).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE", status: 301 });
    expect(received).toHaveLength(1);
  });

  test("returns the pages of a list one after the other", async () => {
    respond(json(200, { keys: [], next: "1_a" }), json(200, { keys: [], next: "2_b" }), json(200, { keys: [] }));
    const pages = [];
    for await (const page of client().pages("/admin/keys/list", { amount: 2 })) pages.push(page.next);
    expect(pages).toEqual(["1_a", "2_b", undefined]);
    expect(received.map(({ body }) => body)).toEqual([
      { amount: 2 },
      { amount: 2, before: "1_a" },
      { amount: 2, before: "2_b" },
    ]);
  });

  test("goes on after a page without entries, with the cursor of each list", async () => {
    respond(json(200, { events: [], next: "WzF" }), json(200, { events: [] }));
    const search = { guild_id: "1", calendar_number: 1, text: "raid" };
    const pages = await Array.fromAsync(client().pages("/v2/events/search", search));
    expect(pages).toHaveLength(2);
    expect(received.map(({ body }) => body)).toEqual([search, { ...search, cursor: "WzF" }]);
  });

  describe("modifies a resource", () => {
    const reference = { guild_id: "1", calendar_number: 1 } as const;
    const calendar = (name: string, revision: number) =>
      json(200, { calendar_number: 1, name, timezone: "UTC" }, { etag: `"${revision}"` });

    test("on condition of the revision that it read, and reads again after a change by another client", async () => {
      respond(calendar("one", 1), refused(412, "REVISION_MISMATCH"), calendar("two", 2));
      respond(json(200, { message: "Calendar updated" }, { etag: '"3"' }));
      const outcome = await client().modify("/v2/calendar", reference, ({ name }) => ({ name: `${name}!` }));
      expect(outcome?.etag).toBe('"3"');
      const updates = received.filter(({ url }) => url === "/v2/calendar/update");
      expect(updates.map(({ headers, body }) => [headers["if-match"], body])).toEqual([
        ['"1"', { ...reference, name: "one!" }],
        ['"2"', { ...reference, name: "two!" }],
      ]);
    });

    test("without a request if nothing is to be changed", async () => {
      respond(calendar("one", 1));
      await expect(client().modify("/v2/calendar", reference, () => undefined)).resolves.toBeUndefined();
      expect(received).toHaveLength(1);
    });

    test("at most ten times", async () => {
      for (let round = 0; round < 12; round += 1) respond(calendar("one", round), refused(412, "REVISION_MISMATCH"));
      const modifying = client().modify("/v2/calendar", reference, () => ({ name: "two" }));
      await expect(modifying).rejects.toMatchObject({ code: "REVISION_MISMATCH" });
      expect(received).toHaveLength(20);
    });
  });
});
