import { afterEach, describe, expect, test } from "@jest/globals";
import { CHANNEL, type ChatSink, outgoing, startChatSink } from "../../test/real-parts/chat-sink.ts";
import { announced } from "./domain/message/announced-samples.ts";
import { renderAnnouncement } from "./domain/message/announcement-message.ts";

const TIMEOUT_MS = 5_000;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(...options: Parameters<typeof startChatSink>): Promise<ChatSink> {
  const started = await startChatSink(...options);
  stops.push(() => started.stop());
  return started;
}

describe("looking a post up", () => {
  test("it is found where lists show nonces", async () => {
    const { server, sink } = await start({ listsNonces: true });
    await sink.send(outgoing(), TIMEOUT_MS);
    server.say(CHANNEL, "person", "hello");
    expect(await sink.find?.(CHANNEL, "n1", TIMEOUT_MS)).toEqual({
      kind: "found",
      messageId: server.messages()[0]!.id,
    });
    expect(await sink.find?.(CHANNEL, "n2", TIMEOUT_MS)).toEqual({ kind: "absent" });
  });

  test("where they don't, a bot's message leaves it open, and only people's prove that it is not there", async () => {
    const { server, sink } = await start();
    server.say(CHANNEL, "person", "hello");
    expect(await sink.find?.(CHANNEL, "n1", TIMEOUT_MS)).toEqual({ kind: "absent" });
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(await sink.find?.(CHANNEL, "n1", TIMEOUT_MS)).toEqual({ kind: "unreachable" });
  });

  test("a post whose answer was lost is found by its text, or proved to be absent", async () => {
    const { server, sink } = await start();
    server.script({ kind: "reset", accepted: true });
    server.script({ kind: "reset", accepted: false });
    await sink.send(outgoing(), TIMEOUT_MS);
    const other = renderAnnouncement(announced({ occurrence: { name: "Another", startsAt: 0, endsAt: 0 } }))[0]!;
    await sink.send(outgoing({ nonce: "n2", message: other }), TIMEOUT_MS);
    expect(await sink.find?.(CHANNEL, "n1", TIMEOUT_MS)).toEqual({
      kind: "found",
      messageId: server.messages()[0]!.id,
    });
    expect(await sink.find?.(CHANNEL, "n2", TIMEOUT_MS)).toEqual({ kind: "absent" });
  });

  test("what was sent is forgotten once it is settled", async () => {
    const { server, sink } = await start();
    server.script({ kind: "reset", accepted: true });
    await sink.send(outgoing(), TIMEOUT_MS);
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(await sink.find?.(CHANNEL, "n1", TIMEOUT_MS)).toEqual({ kind: "unreachable" });
  });

  test("a channel whose history may not be read proves nothing", async () => {
    const { server, sink } = await start();
    server.say(CHANNEL, "person", "hello");
    server.setChannel(CHANNEL, { hidesHistory: true });
    expect(await sink.find?.(CHANNEL, "n1", TIMEOUT_MS)).toEqual({ kind: "unreachable" });
  });

  test("a limit in the way is not waited for", async () => {
    const { sink } = await start({}, { requestsPerSecond: 1, now: () => 0 });
    await sink.send(outgoing(), TIMEOUT_MS);
    expect(await sink.find?.(CHANNEL, "n1", TIMEOUT_MS)).toEqual({ kind: "unreachable" });
  });
});
