import { afterEach, describe, expect, test } from "@jest/globals";
import { CHANNEL, type ChatSink, outgoing, startChatSink } from "../../../../test/harness/chat-sink.ts";
import type { ChatServer } from "../../../../test/harness/chat-server.ts";
import { discordSink } from "./discord.sink.ts";
import type { ChatMessage } from "../../domain/message/chat-message.ts";
import { announced } from "../../../../test/fixtures/announced-samples.ts";
import { renderAnnouncement } from "../../domain/message/announcement-message.ts";
import type { Sink } from "../sink.ts";

const TIMEOUT_MS = 5_000;
const MINUTE = 60_000;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(...options: Parameters<typeof startChatSink>): Promise<ChatSink> {
  const started = await startChatSink(...options);
  stops.push(() => started.stop());
  return started;
}

/** Another process that posts as the same bot. */
async function second({ url, token }: ChatServer): Promise<Sink> {
  const sink = discordSink({ apiUrl: url, token, botUrl: "https://example.com", requestsPerSecond: 50 });
  stops.push(() => sink.close());
  return sink;
}

function rendered(occurrence: object): ChatMessage {
  return renderAnnouncement(announced({ occurrence }))[0]!;
}

describe("the lookup of a post", () => {
  test("finds the post by its nonce if lists show nonces", async () => {
    const { server, sink } = await start({ listsNonces: true });
    await sink.send(outgoing(), TIMEOUT_MS);
    server.say(CHANNEL, "person", "hello");
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({
      kind: "found",
      messageId: server.messages()[0]!.id,
    });
    expect(await sink.find?.(outgoing({ nonce: "n2" }), MINUTE, TIMEOUT_MS)).toEqual({ kind: "absent" });
  });

  test("finds the post by author and text in another process, even if it was edited", async () => {
    const { server, sink } = await start();
    const other = await second(server);
    await sink.send(outgoing(), TIMEOUT_MS);
    const found = { kind: "found", messageId: server.messages()[0]!.id };
    expect(await other.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual(found);
    expect(await other.find?.(outgoing({ message: rendered({ name: "Renamed" }) }), MINUTE, TIMEOUT_MS)).toEqual(found);
  });

  test("proves that the post is absent beside other posts and other bots", async () => {
    const { server, sink } = await start();
    server.say(CHANNEL, "other bot", "Raid night");
    await sink.send(outgoing({ nonce: "n2", message: rendered({ startsAt: 0, endsAt: 0 }) }), TIMEOUT_MS);
    expect(await (await second(server)).find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({ kind: "absent" });
  });

  test("finds a post that was sent as plain text", async () => {
    const { server, sink } = await start();
    server.setChannel(CHANNEL, { refuses: "moderated", onlyBoxes: true });
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(await (await second(server)).find?.(outgoing(), MINUTE, TIMEOUT_MS)).toMatchObject({ kind: "found" });
  });

  test("does not distinguish an embed without a time from another announcement's", async () => {
    const { sink } = await start();
    const info = renderAnnouncement(announced({ announcement: { infoOnly: true, info: "Bring food" } }))[0]!;
    await sink.send(outgoing({ message: info }), TIMEOUT_MS);
    expect(await sink.find?.(outgoing({ message: info }), MINUTE, TIMEOUT_MS)).toEqual({ kind: "unreachable" });
  });

  test("proves nothing in a channel whose history may not be read, and gives the reason", async () => {
    const { server, sink } = await start();
    server.say(CHANNEL, "person", "hello");
    server.addChannel(CHANNEL, {
      guild: CHANNEL,
      overwrites: [{ id: CHANNEL, deny: ["READ_MESSAGE_HISTORY"] }],
    });
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({
      kind: "unreachable",
      reason: "the bot lacks READ_MESSAGE_HISTORY in the channel",
    });
  });

  test("proves that the post is absent in an empty channel that may be read", async () => {
    const { sink } = await start();
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({ kind: "absent" });
  });

  test("proves nothing by an empty list while the bot's permissions can't be read", async () => {
    const { server, sink } = await start();
    server.setGuild(CHANNEL, { isBotAbsent: true });
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toMatchObject({ kind: "unreachable" });
  });

  test("does not wait for a rate limit", async () => {
    const { sink } = await start({}, { requestsPerSecond: 1, now: () => 0 });
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({ kind: "unreachable" });
  });
});
