import { afterEach, describe, expect, test } from "@jest/globals";
import { htmlPage, CHANNEL_REFUSALS } from "../../../../test/harness/chat-server/responses.ts";
import { type ChatServer, startChatServer } from "../../../../test/harness/chat-server.ts";
import { CHANNEL, type ChatSink, outgoing, startChatSink } from "../../../../test/harness/chat-sink.ts";
import { until } from "../../../../test/harness/until.ts";
import { announced } from "../../../../test/fixtures/announced-samples.ts";
import { renderAnnouncement } from "../../domain/message/announcement-message.ts";
import type { OutgoingMessage, SendOutcome, Sink } from "../sink.ts";

const TIMEOUT_MS = 5_000;
const { message } = outgoing();

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(...options: Parameters<typeof startChatSink>): Promise<ChatSink> {
  const started = await startChatSink(...options);
  stops.push(() => started.stop());
  return started;
}

/** The requests that create a message. */
function creates({ requests }: ChatServer) {
  return requests.filter(({ method }) => method === "POST");
}

/**
 * Sends with a short timeout, and with a longer one if it was over before the request to create the message began: on a
 * busy machine the look-up of the channel alone can take 100 ms.
 */
async function sendUntilRequested(sink: Sink): Promise<SendOutcome> {
  let timeoutMs = 100;
  let outcome = await sink.send(outgoing(), timeoutMs);
  while (outcome.kind === "retry" && outcome.undelivered === true && timeoutMs < TIMEOUT_MS) {
    timeoutMs *= 2;
    outcome = await sink.send(outgoing(), timeoutMs);
  }
  return outcome;
}

describe("the sink discord", () => {
  test("posts an embed that pings the subscribers, and returns its id", async () => {
    const { server, sink } = await start();
    const outcome = await sink.send(outgoing(), TIMEOUT_MS);
    expect(server.messages(CHANNEL)).toMatchObject([
      {
        content: message.content,
        nonce: "n1",
        embeds: [{ title: "Raid night", color: 0xdc2127, image: { url: "https://example.com/raid.png" } }],
        pings: { everyone: true, users: ["600000000000000001"], roles: ["500000000000000001"] },
      },
    ]);
    expect(outcome).toEqual({ kind: "sent", messageId: server.messages(CHANNEL)[0]!.id });
  });

  test("pings nobody by texts that look like mentions", async () => {
    const { server, sink } = await start();
    const text = "@everyone @here <@1> <@&2>";
    const announcement = { subscribersRole: [], subscribersUser: ["7"], info: text };
    const hostile = renderAnnouncement(announced({ announcement, occurrence: { name: text, description: text } }))[0]!;
    await sink.send(outgoing({ message: hostile }), TIMEOUT_MS);
    server.setChannel(CHANNEL, { refuses: "moderated", onlyBoxes: true });
    await sink.send(outgoing({ message: hostile, nonce: "plain" }), TIMEOUT_MS);
    const pings = { everyone: false, users: ["7"], roles: [] };
    expect(server.messages(CHANNEL)).toMatchObject([{ pings }, { pings, content: expect.stringContaining(text) }]);
  });

  test("returns the first message for a repeat with the same nonce, and posts nothing", async () => {
    const { server, sink } = await start();
    const first = await sink.send(outgoing(), TIMEOUT_MS);
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toEqual(first);
    expect(server.messages()).toHaveLength(1);
  });

  test("reports a delivery for a repeat after the message was deleted", async () => {
    const { server, sink } = await start();
    await sink.send(outgoing(), TIMEOUT_MS);
    server.remove(server.messages()[0]!.id);
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toEqual({ kind: "sent", messageId: "deleted" });
  });

  test.each([
    ["unknown", "channel"],
    ["noAccess", "channel"],
    ["noPermission", "channel"],
    ["notText", "channel"],
    ["archived", "channel"],
    ["locked", "channel"],
    ["moderated", "payload"],
    ["harmfulLink", "payload"],
  ] as const)("takes a refusal (%s) as final for the %s", async (refuses, scope) => {
    const { server, sink } = await start();
    server.setChannel(CHANNEL, { refuses });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "rejected", scope });
    expect(server.messages()).toEqual([]);
  });

  test("sends plain text after an embed was refused", async () => {
    const { server, sink } = await start();
    server.setChannel(CHANNEL, { refuses: "harmfulLink", onlyBoxes: true });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "sent" });
    expect(server.messages()).toMatchObject([{ embeds: [], content: expect.stringContaining("Raid night") }]);
  });

  test("sends plain text at the next attempt if the limit allows only one request", async () => {
    let clock = 0;
    const { server, sink } = await start({ limits: { perBucket: 1, perMs: 1 } }, { now: () => clock });
    server.setChannel(CHANNEL, { refuses: "harmfulLink", onlyBoxes: true });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({
      reason: "rate limit",
      undelivered: true,
    });
    clock = 1_000;
    const isSent = async () => {
      clock += 1_000;
      return (await sink.send(outgoing(), TIMEOUT_MS)).kind === "sent";
    };
    await until(isSent, "sent as plain text");
    const [first, ...later] = creates(server).map(({ body }) => body.includes('"embeds"'));
    expect([first, later.includes(true)]).toEqual([true, false]);
  });

  test("does not repeat plain text that is refused, too", async () => {
    const { server, sink } = await start();
    server.setChannel(CHANNEL, { refuses: "moderated", onlyBoxes: true });
    server.script({ kind: "response", response: CHANNEL_REFUSALS.moderated });
    server.script({ kind: "reset", accepted: false });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "retry" });
    server.setChannel(CHANNEL, { refuses: "moderated" });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "rejected", scope: "payload" });
    expect(creates(server)).toHaveLength(3);
  });

  test("does not repeat a message without an embed that is refused", async () => {
    const { server, sink } = await start();
    server.setChannel(CHANNEL, { refuses: "moderated" });
    const plain = { ...message, embeds: [] };
    expect(await sink.send(outgoing({ message: plain }), TIMEOUT_MS)).toMatchObject({ scope: "payload" });
    expect(creates(server)).toHaveLength(1);
  });

  test("does not send the plain text after the timeout", async () => {
    let clock = 0;
    const { server, sink } = await start({}, { now: () => (clock += 600) });
    server.setChannel(CHANNEL, { refuses: "moderated", onlyBoxes: true });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "retry", undelivered: true });
    expect(server.messages()).toEqual([]);
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "sent" });
  });

  test("sends nothing after one request with an invalid token, and tries again a minute later", async () => {
    let clock = 0;
    const { server, sink } = await start({ token: "right" }, { token: "wrong", now: () => clock });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({
      kind: "halted",
      reason: expect.stringContaining("401"),
    });
    expect(await sink.send(outgoing({ channel: "2" }), TIMEOUT_MS)).toMatchObject({ kind: "halted" });
    expect(await sink.find?.(outgoing(), 60_000, TIMEOUT_MS)).toEqual({ kind: "unreachable" });
    expect(server.requests).toHaveLength(1);
    clock = 60_000;
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(server.requests).toHaveLength(2);
  });

  test("sends nothing with a wrong base URL", async () => {
    const server = await startChatServer();
    const { sink } = await start({}, { apiUrl: `${server.url}/nowhere`, token: server.token });
    stops.push(() => server.stop());
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "halted" });
  });
});

/** Sends until the post is settled, as the ledger does, after each required wait. */
async function sendUntilSettled(sink: Sink, post: OutgoingMessage) {
  for (;;) {
    const outcome = await sink.send(post, TIMEOUT_MS);
    if (outcome.kind !== "retry") return outcome;
    await new Promise((resolve) => void setTimeout(resolve, outcome.afterMs));
  }
}

describe("the sink under Discord's rate limits", () => {
  test("uses a bucket completely and never exceeds it", async () => {
    const { server, sink } = await start({ limits: { perBucket: 3, perMs: 100 } });
    for (let part = 0; part < 8; part += 1) await sendUntilSettled(sink, outgoing({ part, nonce: `n${part}` }));
    expect(server.messages()).toHaveLength(8);
    expect(server.requests.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200));
  });

  test("does not delay a channel by another channel's limit", async () => {
    const { sink } = await start({ limits: { perBucket: 1, perMs: 60_000 } });
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(await sink.send(outgoing({ nonce: "n2" }), TIMEOUT_MS)).toMatchObject({ kind: "retry" });
    expect(await sink.send(outgoing({ nonce: "n3", channel: "2" }), TIMEOUT_MS)).toMatchObject({ kind: "sent" });
  });

  test("delays every channel by a global limit, and returns the time that is left", async () => {
    const { server, sink } = await start({ limits: { overall: 2, overallMs: 60_000 } });
    await sink.send(outgoing(), TIMEOUT_MS);
    const refused = await sink.send(outgoing({ nonce: "n2", channel: "2" }), TIMEOUT_MS);
    expect(refused).toMatchObject({ kind: "retry", reason: expect.stringContaining("429") });
    expect(await sink.send(outgoing({ nonce: "n3", channel: "3" }), TIMEOUT_MS)).toMatchObject({
      reason: "rate limit",
    });
    expect(server.requests).toHaveLength(3);
  });

  test("stays within its requests per second when many posts are due", async () => {
    const { server, sink } = await start({ limits: { perBucket: 100 } }, { requestsPerSecond: 10 });
    const posts = Array.from({ length: 40 }, (_, at) => outgoing({ nonce: `n${at}` }));
    const outcomes = await Promise.all(posts.map((post) => sink.send(post, TIMEOUT_MS)));
    // One request was for the channel's guild.
    expect(outcomes.filter(({ kind }) => kind === "sent")).toHaveLength(9);
    expect(server.requests).toHaveLength(10);
  });

  test("stops when the budget of invalid requests is used up", async () => {
    const { server, sink } = await start({ limits: { overall: 1e6 } }, { requestsPerSecond: 1e6 });
    const outcomes = new Set<string>();
    for (let at = 0; at < 1_020; at += 1) {
      server.setChannel(String(at), { refuses: "noAccess" });
      const outcome = await sink.send(outgoing({ channel: String(at), nonce: String(at) }), TIMEOUT_MS);
      outcomes.add(outcome.kind);
    }
    expect(server.requests).toHaveLength(1_000);
    expect([...outcomes]).toEqual(["rejected", "retry"]);
  });
});

describe("the sink after a bad response", () => {
  test.each([
    ["a reset before the post", { kind: "reset", accepted: false }, 0],
    ["a reset after the post", { kind: "reset", accepted: true }, 1],
    ["garbage after the post", { kind: "garbage", accepted: true }, 1],
    ["garbage without a post", { kind: "garbage", accepted: false }, 0],
    ["a proxy's error page", { kind: "response", response: htmlPage(502) }, 0],
    ["a proxy's block", { kind: "response", response: htmlPage(403) }, 0],
    ["an error of Discord", { kind: "response", response: { status: 500, body: {} } }, 0],
  ] as const)("retries after %s, and posts once", async (_what, fault, before) => {
    const { server, sink } = await start();
    server.script(fault);
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "retry" });
    expect(server.messages()).toHaveLength(before);
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "sent" });
    expect(server.messages()).toHaveLength(1);
  });

  test.each([
    [{ kind: "silence", accepted: true }, 1],
    [{ kind: "silence", accepted: false }, 0],
    [{ kind: "slow", ms: 10_000 }, 1],
    [{ kind: "late", ms: 10_000 }, 0],
  ] as const)("returns in time without a response (%j), and a repeat posts once", async (fault, before) => {
    const { server, sink } = await start();
    server.script(fault);
    expect(await sendUntilRequested(sink)).toEqual({
      kind: "retry",
      reason: "timed out",
      afterMs: 0,
      undelivered: false,
    });
    await until(() => creates(server).length === 1, "received");
    expect(server.messages()).toHaveLength(before);
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({ kind: "sent" });
    expect(server.messages()).toHaveLength(1);
  });

  test("retries an unreachable receiver", async () => {
    const { server, sink } = await start();
    await server.stop();
    const outcome = await sink.send(outgoing(), TIMEOUT_MS);
    expect(outcome).toEqual({ kind: "retry", reason: "ECONNREFUSED", afterMs: 0, undelivered: true });
  });

  test("does not throw if the token is no valid header", async () => {
    const { sink } = await start({}, { token: "a\nb" });
    expect(await sink.send(outgoing(), TIMEOUT_MS)).toMatchObject({
      kind: "retry",
      reason: "invalid authorization header",
    });
  });

  test("ends requests in flight when it is closed", async () => {
    const { server, sink } = await start();
    server.script({ kind: "silence", accepted: true });
    const sending = sink.send(outgoing(), TIMEOUT_MS);
    await until(() => server.messages().length === 1, "posted");
    await sink.close();
    expect(await sending).toMatchObject({ kind: "retry", reason: "The client is destroyed" });
  });
});
