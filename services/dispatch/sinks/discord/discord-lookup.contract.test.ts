import { afterEach, describe, expect, test } from "@jest/globals";
import { CHANNEL, type ChatSink, outgoing, startChatSink } from "../../../../test/real-parts/chat-sink.ts";
import type { ChatServer } from "../../../../test/real-parts/chat-server.ts";
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

describe("looking a post up", () => {
  test("it is found where lists show nonces", async () => {
    const { server, sink } = await start({ listsNonces: true });
    await sink.send(outgoing(), TIMEOUT_MS);
    server.say(CHANNEL, "person", "hello");
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({
      kind: "found",
      messageId: server.messages()[0]!.id,
    });
    expect(await sink.find?.(outgoing({ nonce: "n2" }), MINUTE, TIMEOUT_MS)).toEqual({ kind: "absent" });
  });

  test("where they don't, another process finds it by author and text, an edited version as well", async () => {
    const { server, sink } = await start();
    const other = await second(server);
    await sink.send(outgoing(), TIMEOUT_MS);
    const found = { kind: "found", messageId: server.messages()[0]!.id };
    expect(await other.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual(found);
    expect(await other.find?.(outgoing({ message: rendered({ name: "Renamed" }) }), MINUTE, TIMEOUT_MS)).toEqual(found);
  });

  test("and is told that it is absent, whatever other posts and other bots say", async () => {
    const { server, sink } = await start();
    server.say(CHANNEL, "other bot", "Raid night");
    await sink.send(outgoing({ nonce: "n2", message: rendered({ startsAt: 0, endsAt: 0 }) }), TIMEOUT_MS);
    expect(await (await second(server)).find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({ kind: "absent" });
  });

  test("a post that went as plain text is found, too", async () => {
    const { server, sink } = await start();
    server.setChannel(CHANNEL, { refuses: "moderated", onlyBoxes: true });
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(await (await second(server)).find?.(outgoing(), MINUTE, TIMEOUT_MS)).toMatchObject({ kind: "found" });
  });

  test("a box that shows no time can't be told from another announcement's", async () => {
    const { sink } = await start();
    const info = renderAnnouncement(announced({ announcement: { infoOnly: true, info: "Bring food" } }))[0]!;
    await sink.send(outgoing({ message: info }), TIMEOUT_MS);
    expect(await sink.find?.(outgoing({ message: info }), MINUTE, TIMEOUT_MS)).toEqual({ kind: "unreachable" });
  });

  test("a channel whose history may not be read proves nothing, and is told so", async () => {
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

  test("a channel that may be read and holds nothing does not hold the post", async () => {
    const { sink } = await start();
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({ kind: "absent" });
  });

  test("an empty list proves nothing while the bot's permissions can't be known", async () => {
    const { server, sink } = await start();
    server.setGuild(CHANNEL, { isBotAbsent: true });
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toMatchObject({ kind: "unreachable" });
  });

  test("a limit in the way is not waited for", async () => {
    const { sink } = await start({}, { requestsPerSecond: 1, now: () => 0 });
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(await sink.find?.(outgoing(), MINUTE, TIMEOUT_MS)).toEqual({ kind: "unreachable" });
  });
});
