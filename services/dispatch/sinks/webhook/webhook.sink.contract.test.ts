import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "@jest/globals";
import { announced } from "../../../../test/fixtures/announced-samples.ts";
import { renderAnnouncement } from "../../domain/message/announcement-message.ts";
import type { OutgoingMessage, Sink } from "../sink.ts";
import { webhookSink, type WebhookSinkOptions } from "./webhook.sink.ts";

const KEY = Buffer.alloc(32, 7);
const TIMEOUT_MS = 5_000;
const [message] = renderAnnouncement(announced());

function outgoing(differences: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return { postId: "a:e_1:2", part: 0, nonce: "n1", guildId: "1", channel: "2", message: message!, ...differences };
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Reply = (response: ServerResponse) => void;
const ok: Reply = (response) => void response.end("thanks");

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A receiver on loopback, and a sink that may post to it. */
async function start(reply: Reply = ok, options: Partial<WebhookSinkOptions> = {}) {
  const received: Received[] = [];
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    received.push({ headers: request.headers, body: await text(request) });
    reply(response);
  }
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const secret = `whsec_${KEY.toString("base64")}`;
  const sink: Sink = webhookSink({ url, secret, allowPrivate: true, ...options });
  stops.push(
    () => sink.close(),
    () => server.closeAllConnections(),
    () => new Promise((resolve) => void server.close(resolve)),
  );
  return { received, sink, url };
}

/** Verifies a request as a receiver does. */
function isSigned({ headers, body }: Received): boolean {
  const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", KEY).update(content).digest("base64")}`;
}

describe("the sink webhook", () => {
  test("posts in Discord's format, signed with id and time", async () => {
    const { received, sink } = await start(ok, { wallClock: () => 1_795_287_600_999 });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toEqual({ kind: "sent", messageId: "a:e_1:2:0" });
    expect(received).toHaveLength(1);
    expect(isSigned(received[0]!)).toBe(true);
    expect(received[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": "a:e_1:2:0",
      "webhook-timestamp": "1795287600",
    });
    expect(JSON.parse(received[0]!.body)).toMatchObject({
      type: "announcement.post",
      data: {
        post_id: "a:e_1:2",
        part: 0,
        nonce: "n1",
        guild_id: "1",
        channel_id: "2",
        message: {
          content: message!.content,
          allowed_mentions: { parse: ["everyone"] },
          embeds: [{ color: 0xdc2127 }],
        },
      },
    });
  });

  test("sends a repeat with the same id and body, and another part with another id", async () => {
    const { received, sink } = await start();
    for (const part of [0, 0, 1]) await sink.send(outgoing({ part }), TIMEOUT_MS);
    const [first, repeat, other] = received;
    expect([repeat?.headers["webhook-id"], repeat?.body]).toEqual([first?.headers["webhook-id"], first?.body]);
    expect(other?.headers["webhook-id"]).toBe("a:e_1:2:1");
  });

  test("sends an edit as a request of its own, with the same id for a repeat and another one for another text or edit", async () => {
    const { received, sink } = await start();
    const edit = { postId: "a:e_1:2", guildId: "1", channel: "2", messageId: "a:e_1:2:0", edit: 1, message: message! };
    const other = renderAnnouncement(announced({ occurrence: { name: "Moved" } }))[0]!;
    for (const change of [{}, {}, { message: other }, { edit: 2 }]) {
      expect(await sink.edit!({ ...edit, ...change }, TIMEOUT_MS)).toEqual({ kind: "edited" });
    }
    expect(received.every(isSigned)).toBe(true);
    const ids = received.map(({ headers }) => headers["webhook-id"]);
    expect(ids[0]).toMatch(/^a:e_1:2:0:edit:1:[\w-]{12}$/);
    expect(new Set(ids)).toEqual(new Set([ids[0], ids[2], ids[3]]));
    expect(ids[1]).toBe(ids[0]);
    expect(JSON.parse(received[2]!.body)).toMatchObject({
      type: "announcement.edit",
      data: {
        post_id: "a:e_1:2",
        part: 0,
        edit: 1,
        guild_id: "1",
        channel_id: "2",
        message: { embeds: [{ title: "Moved" }] },
      },
    });
  });

  test("sends a deletion as a request of its own for each part, with the same id for a repeat (D68)", async () => {
    const { received, sink } = await start();
    const removal = { postId: "a:e_1:2", guildId: "1", channel: "2", messageId: "a:e_1:2:1", part: 1 };
    for (const part of [1, 1, 0]) {
      expect(await sink.remove!({ ...removal, part }, TIMEOUT_MS)).toEqual({ kind: "removed" });
    }
    expect(received.every(isSigned)).toBe(true);
    expect(received.map(({ headers }) => headers["webhook-id"])).toEqual([
      "a:e_1:2:1:delete",
      "a:e_1:2:1:delete",
      "a:e_1:2:0:delete",
    ]);
    expect(JSON.parse(received[0]!.body)).toEqual({
      type: "announcement.delete",
      data: { post_id: "a:e_1:2", part: 1, guild_id: "1", channel_id: "2" },
    });
  });

  test("signs texts of every script as they are sent", async () => {
    const { received, sink } = await start();
    const texts = renderAnnouncement(announced({ occurrence: { name: "夜 🎉 é" } }))[0]!;
    await sink.send(outgoing({ message: texts }), TIMEOUT_MS);
    expect(isSigned(received[0]!)).toBe(true);
    expect(received[0]?.body).toContain("夜 🎉 é");
  });

  test("escapes an id that is no valid header", async () => {
    const { sink } = await start();
    expect(await sink.send(outgoing({ postId: "ä\n:1" }), TIMEOUT_MS)).toEqual({
      kind: "sent",
      messageId: "%C3%A4%0A:1:0",
    });
  });
});

function status(code: number, headers: Record<string, string> = {}): Reply {
  return (response) => void response.writeHead(code, headers).end("x".repeat(1_000_000));
}

describe("the response of a receiver", () => {
  test.each([200, 201, 202, 204])("%i means sent, whatever the body", async (code) => {
    const { sink } = await start(status(code));
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "sent" });
  });

  test.each([408, 425, 429, 500, 503])("%i means retry after the required wait", async (code) => {
    const { sink } = await start(status(code, { "retry-after": "7" }));
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "retry", afterMs: 7_000 });
  });

  test.each([400, 409, 413, 422])("%i means rejected", async (code) => {
    const { sink } = await start(status(code));
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "rejected", scope: "payload" });
  });

  test.each([301, 307, 308, 401, 403, 404, 405, 410])("%i means halted", async (code) => {
    const { received, sink } = await start(status(code, { location: "/elsewhere" }));
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "halted", reason: `HTTP ${code}` });
    expect(received).toHaveLength(1);
  });

  test("that does not come in time leaves the post in doubt", async () => {
    const { sink } = await start(() => undefined);
    expect(await sink.send(outgoing(), 50)).toMatchObject({ kind: "retry", reason: "timed out" });
  });

  test("of an unreachable receiver means undelivered", async () => {
    const { sink } = await start(ok, { url: "http://127.0.0.1:1/" });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ reason: "ECONNREFUSED", undelivered: true });
  });
});

describe("the target of a webhook", () => {
  test("is refused before a connection if it is private", async () => {
    const { received, sink } = await start(ok, { allowPrivate: false });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toEqual({ kind: "halted", reason: "TARGET_REFUSED" });
    expect(received).toEqual([]);
  });

  test("is refused if its name resolves to a private address later", async () => {
    const { received, url } = await start();
    const { port } = new URL(url);
    const responses = ["203.0.113.1", "127.0.0.1"];
    const { sink } = await start(ok, {
      url: `https://rebinding.example:${port}/`,
      allowPrivate: false,
      resolve: (_name, done) => done(null, [{ address: responses.shift() ?? "127.0.0.1", family: 4 }]),
    });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await sink.send(outgoing(), TIMEOUT_MS)).toEqual({ kind: "halted", reason: "TARGET_REFUSED" });
    }
    expect(received).toEqual([]);
  });

  test("is connected to at the checked address", async () => {
    const { received, url } = await start();
    const { sink } = await start(ok, {
      url: url.replace("127.0.0.1", "hooks.example"),
      resolve: (_name, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "sent" });
    expect(received[0]?.headers.host).toContain("hooks.example");
  });
});
