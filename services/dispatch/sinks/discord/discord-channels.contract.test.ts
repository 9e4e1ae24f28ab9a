import { afterEach, describe, expect, test } from "@jest/globals";
import { CHANNEL, type ChatSink, outgoing, startChatSink } from "../../../../test/harness/chat-sink.ts";
import { problemOf } from "../../domain/post/channel-finding.ts";

const TIMEOUT_MS = 5_000;
const GUILD = "300000000000000001";
const OTHER_GUILD = "300000000000000002";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(...options: Parameters<typeof startChatSink>): Promise<ChatSink> {
  const started = await startChatSink(...options);
  stops.push(() => started.stop());
  started.server.addChannel(CHANNEL, { guild: GUILD });
  return started;
}

const post = outgoing({ guildId: GUILD, channel: CHANNEL });

describe("the check of the channel's guild when a post is sent (D35)", () => {
  test("sends a post to a channel of its own guild", async () => {
    const { server, sink } = await start();
    expect(await sink.send(post, TIMEOUT_MS)).toMatchObject({ kind: "sent" });
    expect(server.messages(CHANNEL)).toHaveLength(1);
  });

  test.each([
    ["another guild's channel", { guild: OTHER_GUILD }],
    ["a direct message, which belongs to no guild", {}],
  ])("never sends a post to %s, and gives the reason", async (_what, place) => {
    const { server, sink } = await start();
    server.addChannel(CHANNEL, place);
    const refused = { kind: "rejected", scope: "channel", reason: "the channel belongs to another guild" };
    expect(await sink.send(post, TIMEOUT_MS)).toEqual(refused);
    expect(await sink.send(post, TIMEOUT_MS)).toEqual(refused);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  test.each([
    ["unknown", "the channel does not exist"],
    ["noAccess", "the channel can't be seen by the bot"],
  ] as const)("sends no post to a channel that can't be read (%s), and gives the reason", async (refuses, reason) => {
    const { server, sink } = await start();
    server.setChannel(CHANNEL, { refuses });
    expect(await sink.send(post, TIMEOUT_MS)).toEqual({ kind: "rejected", scope: "channel", reason });
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  test.each([
    ["a limit", { status: 429, body: { message: "slow down", retry_after: 0.01, global: false } }],
    ["a failure of Discord", { status: 503, body: {} }],
    ["an unreadable response", { status: 200, body: "<html>" }],
  ])("sends nothing while the channel's guild can't be read (%s), and nothing is in doubt", async (_what, response) => {
    const { server, sink } = await start();
    server.failReads(response);
    expect(await sink.send(post, TIMEOUT_MS)).toMatchObject({ kind: "retry", undelivered: true });
    expect(server.requests.map(({ method }) => method)).toEqual(["GET"]);
    server.failReads(undefined);
  });

  test("requests the channel once for many posts, and again after the channel refuses one", async () => {
    const { server, sink } = await start();
    const reads = () => server.requests.filter(({ method }) => method === "GET").length;
    await Promise.all(["a", "b"].map((nonce) => sink.send({ ...post, nonce }, TIMEOUT_MS)));
    await sink.send({ ...post, nonce: "c" }, TIMEOUT_MS);
    expect(reads()).toBe(1);
    server.setChannel(CHANNEL, { refuses: "noPermission" });
    expect(await sink.send({ ...post, nonce: "d" }, TIMEOUT_MS)).toMatchObject({ kind: "rejected" });
    expect(await sink.send({ ...post, nonce: "e" }, TIMEOUT_MS)).toMatchObject({ kind: "rejected" });
    expect(reads()).toBe(2);
  });

  test("forgets a channel after an hour", async () => {
    let clock = 1_000;
    const { server, sink } = await start({}, { now: () => clock });
    await sink.send(post, TIMEOUT_MS);
    clock += 3_600_001;
    await sink.send({ ...post, nonce: "n2" }, TIMEOUT_MS);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "POST", "GET", "POST"]);
  });

  test("caches at most 20 000 channels, and drops the least recently used", async () => {
    const { channels } = (await start()).sink;
    const known = Array.from({ length: 20_000 }, (_, at) => String(at));
    for (const channel of known) channels!.learn(GUILD, channel);
    expect(known.every((channel) => channels!.isKnown(channel))).toBe(true);
    channels!.learn(GUILD, "20000");
    expect(["0", "1", "19999", "20000"].map((channel) => channels!.isKnown(channel))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test("keeps one guild's forbidden channels from using up all refused requests", async () => {
    const { server, sink } = await start({ limits: { overall: 1e6 } }, { requestsPerSecond: 1e6 });
    for (let at = 0; at < 60; at += 1) {
      server.setChannel(String(at), { refuses: "noAccess" });
      await sink.send(outgoing({ guildId: OTHER_GUILD, channel: String(at) }), TIMEOUT_MS);
    }
    expect(server.requests).toHaveLength(50);
    expect(await sink.send(outgoing({ guildId: OTHER_GUILD, channel: "60" }), TIMEOUT_MS)).toMatchObject({
      kind: "retry",
      undelivered: true,
    });
    expect(await sink.send(post, TIMEOUT_MS)).toMatchObject({ kind: "sent" });
  });
});

describe("a channel check", () => {
  const everyone = { subscribersRole: ["everyone"] };
  const check = ({ sink }: ChatSink, channel = CHANNEL) => sink.channels!.check(GUILD, channel, TIMEOUT_MS);

  test("finds no problem if the bot has all needed permissions", async () => {
    const chat = await start();
    const found = await check(chat);
    expect(found).toEqual({ kind: "own", missing: [], mentionableRoles: [] });
    expect(problemOf(found!, everyone)).toBeUndefined();
  });

  test("distinguishes foreign, unknown, unreachable and unsuitable channels", async () => {
    const chat = await start();
    const { server } = chat;
    server.addChannel("1", { guild: OTHER_GUILD });
    server.setChannel("2", { refuses: "unknown" });
    server.addChannel("3", { guild: GUILD, overwrites: [{ id: GUILD, deny: ["VIEW_CHANNEL"] }] });
    server.addChannel("4", { guild: GUILD, type: 4 });
    const found = await Promise.all(["1", "2", "3", "4"].map((channel) => check(chat, channel)));
    expect(found.map((finding) => finding?.kind)).toEqual(["foreign", "unknown", "unreachable", "unsuitable"]);
  });

  test("names a permission that the bot lacks", async () => {
    const chat = await start();
    chat.server.addChannel(CHANNEL, {
      guild: GUILD,
      overwrites: [{ id: GUILD, deny: ["SEND_MESSAGES", "EMBED_LINKS"] }],
    });
    expect(problemOf((await check(chat))!)).toEqual({
      code: "PERMISSION_MISSING",
      message: "the bot lacks SEND_MESSAGES, EMBED_LINKS in the channel",
    });
  });

  test("requires MENTION_EVERYONE if everyone, here or a role that not every member may mention is subscribed", async () => {
    const chat = await start();
    chat.server.setGuild(GUILD, {
      everyone: ["VIEW_CHANNEL", "SEND_MESSAGES", "EMBED_LINKS", "READ_MESSAGE_HISTORY"],
      roles: [{ id: "5", mentionable: true }, { id: "6" }],
    });
    const found = (await check(chat))!;
    const codes = [[], ["5"], ["6"], ["here"], ["everyone"]].map(
      (subscribersRole) => problemOf(found, { subscribersRole })?.code,
    );
    expect(codes).toEqual([undefined, undefined, ...Array.from({ length: 3 }, () => "PERMISSION_MISSING")]);
  });

  test("uses the parent's overwrites and SEND_MESSAGES_IN_THREADS in a thread", async () => {
    const chat = await start();
    const overwrites = [{ id: GUILD, deny: ["SEND_MESSAGES", "EMBED_LINKS"] as const }];
    chat.server.addChannel("8", { guild: GUILD, overwrites });
    chat.server.addChannel("9", { guild: GUILD, type: 11, parent: "8" });
    expect(await check(chat, "9")).toMatchObject({ kind: "own", missing: ["EMBED_LINKS"] });
  });

  test("finds that a bot that is timed out may only read", async () => {
    const chat = await start();
    chat.server.setGuild(GUILD, { timedOutUntil: "2999-01-01T00:00:00.000Z" });
    expect(await check(chat)).toMatchObject({ missing: ["SEND_MESSAGES", "EMBED_LINKS", "MENTION_EVERYONE"] });
    chat.server.setGuild(OTHER_GUILD, { timedOutUntil: "2001-01-01T00:00:00.000Z" });
    chat.server.addChannel("2", { guild: OTHER_GUILD });
    expect(await chat.sink.channels!.check(OTHER_GUILD, "2", TIMEOUT_MS)).toMatchObject({ missing: [] });
  });

  test("has no finding while Discord is out of reach, and sends no further request with an invalid token", async () => {
    const chat = await start({ token: "right" }, { token: "wrong" });
    expect(await check(chat)).toBeUndefined();
    expect(await check(chat)).toBeUndefined();
    expect(chat.server.requests).toHaveLength(1);
  });

  test("uses a tenth of the requests, and leaves the rest to posts", async () => {
    const chat = await start({}, { requestsPerSecond: 40, now: () => 0 });
    expect(chat.sink.requestsPerSecond?.()).toBe(36);
    const channels = Array.from({ length: 20 }, (_, at) => String(at + 100));
    for (const channel of channels) chat.server.addChannel(channel, { guild: OTHER_GUILD });
    await Promise.all(channels.map((channel) => chat.sink.channels!.check(GUILD, channel, TIMEOUT_MS)));
    expect(chat.server.requests).toHaveLength(4);
  });
});
