import { afterEach, describe, expect, test } from "@jest/globals";
import { announced } from "../../../../test/fixtures/announced-samples.ts";
import { CHANNEL, type ChatSink, outgoing, startChatSink } from "../../../../test/harness/chat-sink.ts";
import { renderAnnouncement } from "../../domain/message/announcement-message.ts";
import { withoutPings } from "../../domain/message/edited-message.ts";
import type { EditOutcome, MessageEdit } from "../sink.ts";

const TIMEOUT_MS = 5_000;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A chat server with a sent message, and its edit to another name of the event. */
async function startWithMessage(...options: Parameters<typeof startChatSink>) {
  const chat: ChatSink = await startChatSink(...options);
  stops.push(() => chat.stop());
  await chat.sink.send(outgoing(), TIMEOUT_MS);
  const { id: messageId } = chat.server.messages()[0]!;
  const message = withoutPings(renderAnnouncement(announced({ occurrence: { name: "Moved" } }))[0]!);
  const change: MessageEdit = { postId: "p", guildId: CHANNEL, channel: CHANNEL, messageId, edit: 1, message };
  const edit = (differences: Partial<MessageEdit> = {}): Promise<EditOutcome> =>
    chat.sink.edit!({ ...change, ...differences }, TIMEOUT_MS);
  return { ...chat, message, edit };
}

describe("an edit of a message at Discord (D67)", () => {
  test("replaces embed and text, and notifies nobody", async () => {
    const { server, edit, message } = await startWithMessage();
    expect(await edit()).toEqual({ kind: "edited" });
    const pings = { everyone: false, users: [], roles: [] };
    expect(server.messages()).toMatchObject([
      { content: message.content, embeds: [{ title: "Moved" }], pings, edits: 1 },
    ]);
    expect(message.content).toContain("@everyone");
  });

  test("that is repeated leaves the same message", async () => {
    const { server, edit } = await startWithMessage();
    server.script({ kind: "reset", accepted: true });
    expect(await edit()).toMatchObject({ kind: "retry" });
    expect(await edit()).toEqual({ kind: "edited" });
    expect(server.messages()).toMatchObject([{ embeds: [{ title: "Moved" }] }]);
  });

  test("of a message that somebody deleted says that it is gone, and posts nothing", async () => {
    const { server, edit } = await startWithMessage();
    server.remove(server.messages()[0]!.id);
    expect(await edit()).toEqual({ kind: "gone", reason: "HTTP 404 10008 Unknown Message" });
    expect(await edit({ messageId: "deleted" })).toMatchObject({ kind: "gone" });
    expect(server.messages()).toEqual([]);
  });

  test("in a channel that was deleted says that the message is gone", async () => {
    const { server, edit } = await startWithMessage();
    server.script({ kind: "response", response: { status: 404, body: { code: 10003, message: "Unknown Channel" } } });
    expect(await edit()).toMatchObject({ kind: "gone" });
  });

  test("is made as plain text if the embed is refused, without the former embed", async () => {
    const { server, edit } = await startWithMessage();
    server.setChannel(CHANNEL, { refuses: "moderated", onlyBoxes: true });
    expect(await edit()).toEqual({ kind: "edited" });
    expect(server.messages()).toMatchObject([{ content: expect.stringContaining("Moved"), embeds: [] }]);
  });

  test("is refused for good without the permission, and tried again after a limit or a failure", async () => {
    const { server, edit } = await startWithMessage();
    server.script({
      kind: "response",
      response: { status: 403, body: { code: 50013, message: "Missing Permissions" } },
    });
    expect(await edit()).toMatchObject({ kind: "rejected", reason: "HTTP 403 50013 Missing Permissions" });
    server.script({ kind: "response", response: { status: 503, body: {} } });
    expect(await edit()).toMatchObject({ kind: "retry" });
    server.script({ kind: "response", response: { status: 400, body: { code: 30046, message: "many edits" } } });
    expect(await edit()).toMatchObject({ kind: "retry", reason: "HTTP 400 30046 many edits" });
    server.script({ kind: "response", response: { status: 401, body: { code: 0, message: "401" } } });
    expect(await edit()).toMatchObject({ kind: "halted" });
  });

  test("has a limit of its own, beside that of new messages", async () => {
    const { edit } = await startWithMessage({ limits: { perBucket: 1, perMs: 60_000 } });
    expect(await edit()).toEqual({ kind: "edited" });
    expect(await edit()).toMatchObject({ kind: "retry", reason: "rate limit", afterMs: expect.any(Number) });
  });
});
