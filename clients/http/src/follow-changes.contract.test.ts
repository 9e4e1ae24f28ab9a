import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { FollowedChanges, FollowOptions } from "./client-types.ts";
import { guildcalClient, isApiError } from "./index.ts";

type Reply = (response: ServerResponse) => void;

const GUILD = "375357265198317579";
const event = (token: string, id: string) =>
  `event: changes\nid: ${token}\ndata: {"changes":[{"kind":"event","id":"${id}","deleted":true}],"more":false}\n\n`;

/** Sends the parts of a stream one after the other, and ends or keeps the connection. */
function stream(parts: readonly string[], end: "cut" | "end" | "open"): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const part of parts) response.write(part);
    if (end === "end") response.end();
    if (end === "cut") setImmediate(() => response.destroy());
  };
}

function refusal(status: number, code: string, headers: Record<string, string> = {}): Reply {
  return (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ message: "Refused", code, request_id: "r" }));
}

describe("the client, following the changes of a guild", () => {
  const received: IncomingMessage[] = [];
  const replies: Reply[] = [];
  const server = createServer((request, response) => {
    received.push(request);
    (replies.shift() ?? refusal(500, "INTERNAL"))(response);
  });
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

  const follow = (options: FollowOptions = {}) => guildcalClient({ baseUrl, key: "k" }).follow(BigInt(GUILD), options);
  /** The first pages that have changes or another token. */
  async function read(count: number, options?: FollowOptions): Promise<FollowedChanges[]> {
    const pages: FollowedChanges[] = [];
    for await (const page of follow(options)) if (pages.push(page) === count) return pages;
    return pages;
  }
  const idsOf = (pages: readonly FollowedChanges[]) => pages.map(({ changes }) => changes.map(({ id }) => id));

  test("sends the guild and the key, and returns each page with its token", async () => {
    replies.push(stream(["retry: 2000\n\n", event("t1", "a"), ": heartbeat\nid: t2\n\n", event("t3", "b")], "open"));
    const pages = await read(3);
    expect(idsOf(pages)).toEqual([["a"], [], ["b"]]);
    expect(pages.map(({ syncToken }) => syncToken)).toEqual(["t1", "t2", "t3"]);
    expect(received[0]?.url).toBe(`/v2/changes/stream?guild_id=${GUILD}`);
    expect(received[0]?.headers).toMatchObject({ authorization: "Bearer k" });
    expect(received[0]?.headers["last-event-id"]).toBeUndefined();
  });

  test("connects again after an end, a cut and a refusal for now, and goes on after its last token", async () => {
    replies.push(
      stream([event("t1", "a")], "end"),
      stream([event("t2", "b"), event("t3", "c").slice(0, -20)], "cut"),
      refusal(429, "TOO_MANY_REQUESTS", { "retry-after": "0" }),
      refusal(503, "UNAVAILABLE", { "retry-after": "0" }),
      stream([event("t3", "c")], "open"),
    );
    expect(idsOf(await read(3, { syncToken: "t0" }))).toEqual([["a"], ["b"], ["c"]]);
    expect(received.map(({ headers }) => headers["last-event-id"])).toEqual(["t0", "t1", "t2", "t2", "t2"]);
  });

  test("reads a page that arrives in parts, with characters of several bytes", async () => {
    const text = event("t1", "über");
    const bytes = Buffer.from(text);
    replies.push((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const cut = bytes.indexOf(0xc3) + 1;
      response.write(bytes.subarray(0, cut));
      setImmediate(() => response.write(bytes.subarray(cut)));
    });
    expect(idsOf(await read(1))).toEqual([["über"]]);
  });

  test.each([
    [410, "SYNC_TOKEN_EXPIRED"],
    [401, "UNAUTHORIZED"],
    [403, "FORBIDDEN"],
  ])("rejects after a %i", async (status, code) => {
    replies.push(refusal(status, code));
    const error = await read(1).catch((reason: unknown) => reason);
    expect(isApiError(error) && [error.status, error.code]).toEqual([status, code]);
    expect(received).toHaveLength(1);
  });

  test("ends with the reason of the signal, and closes its connection when nobody reads on", async () => {
    replies.push(stream([event("t1", "a")], "open"), stream([event("t1", "a")], "open"));
    const ended = new AbortController();
    const pages = follow({ signal: ended.signal });
    await pages.next();
    const next = pages.next();
    ended.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    const closed = new Promise((resolve) => server.once("request", (request) => request.once("close", resolve)));
    await read(1);
    await closed;
    expect(received).toHaveLength(2);
  });
});
