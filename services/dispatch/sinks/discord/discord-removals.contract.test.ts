import { afterEach, describe, expect, test } from "@jest/globals";
import { CHANNEL, type ChatSink, outgoing, startChatSink } from "../../../../test/harness/chat-sink.ts";
import type { MessageRemoval, RemovalOutcome } from "../sink.ts";

const TIMEOUT_MS = 5_000;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A chat server with a sent message, and its deletion. */
async function startWithMessage(...options: Parameters<typeof startChatSink>) {
  const chat: ChatSink = await startChatSink(...options);
  stops.push(() => chat.stop());
  await chat.sink.send(outgoing(), TIMEOUT_MS);
  const { id: messageId } = chat.server.messages()[0]!;
  const removal: MessageRemoval = { postId: "p", part: 0, guildId: CHANNEL, channel: CHANNEL, messageId };
  const remove = (differences: Partial<MessageRemoval> = {}): Promise<RemovalOutcome> =>
    chat.sink.remove!({ ...removal, ...differences }, TIMEOUT_MS);
  return { ...chat, remove };
}

describe("the deletion of a message at Discord (D68)", () => {
  test("takes the message away, and is harmless if it is repeated after a lost response", async () => {
    const { server, remove } = await startWithMessage();
    server.script({ kind: "reset", accepted: true });
    expect(await remove()).toMatchObject({ kind: "retry" });
    expect(server.messages()).toEqual([]);
    expect(await remove()).toEqual({ kind: "gone", reason: "HTTP 404 10008 Unknown Message" });
  });

  test("is a request with DELETE and without a body", async () => {
    const { server, remove } = await startWithMessage();
    expect(await remove()).toEqual({ kind: "removed" });
    expect(server.requests.at(-1)).toMatchObject({ method: "DELETE", body: "", status: 204 });
  });

  test("says that a message is gone whose id was never known, or whose channel was deleted", async () => {
    const { server, remove } = await startWithMessage();
    const made = server.requests.length;
    expect(await remove({ messageId: "deleted" })).toMatchObject({ kind: "gone" });
    expect(server.requests).toHaveLength(made);
    server.script({ kind: "response", response: { status: 404, body: { code: 10003, message: "Unknown Channel" } } });
    expect(await remove()).toMatchObject({ kind: "gone" });
  });

  test("is refused for good without access, and tried again after a failure or with another token", async () => {
    const { server, remove } = await startWithMessage();
    server.script({ kind: "response", response: { status: 403, body: { code: 50001, message: "Missing Access" } } });
    expect(await remove()).toMatchObject({ kind: "rejected", reason: "HTTP 403 50001 Missing Access" });
    server.script({ kind: "response", response: { status: 503, body: {} } });
    expect(await remove()).toMatchObject({ kind: "retry" });
    server.script({ kind: "response", response: { status: 401, body: { code: 0, message: "401" } } });
    expect(await remove()).toMatchObject({ kind: "halted", reason: "HTTP 401 0 401" });
  });

  test("has a limit of its own, beside those of new and edited messages", async () => {
    const { remove } = await startWithMessage({ limits: { perBucket: 1, perMs: 60_000 } });
    expect(await remove()).toEqual({ kind: "removed" });
    expect(await remove()).toMatchObject({ kind: "retry", reason: "rate limit", afterMs: expect.any(Number) });
  });
});
