import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { discordSink } from "../../services/dispatch/sinks/discord/discord.sink.ts";
import type { OutgoingMessage, Sink } from "../../services/dispatch/sinks/sink.ts";
import { webhookSink } from "../../services/dispatch/sinks/webhook/webhook.sink.ts";
import { readReleaseFiles } from "./check-release.ts";

const { version } = JSON.parse(readReleaseFiles()["package.json"]) as { readonly version: string };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const message: OutgoingMessage = {
  postId: "a:e_1:2",
  part: 0,
  nonce: "n1",
  guildId: "1",
  channel: "2",
  message: { content: "hello", embeds: [], allowedMentions: { parse: [], users: [], roles: [] } },
};

describe("the User-Agent", () => {
  const agents: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    agents.push(request.headers["user-agent"]);
    response.statusCode = 500;
    response.end();
  });
  let url: string;

  beforeAll(async () => {
    await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  test.each<[name: string, sink: () => Sink, agent: string]>([
    ["webhook", () => webhookSink({ url, secret: SECRET, allowPrivate: true }), `guildcal-webhook/${version}`],
    [
      "discord",
      () => discordSink({ token: "t", apiUrl: url, botUrl: "https://bot.example", requestsPerSecond: 1_000 }),
      `DiscordBot (https://bot.example, ${version})`,
    ],
  ])("of the sink %s has the version of package.json", async (_name, sink, agent) => {
    const sender = sink();
    agents.length = 0;
    await sender.send(message, 5_000);
    await sender.close();
    expect(agents.length).toBeGreaterThan(0);
    expect(new Set(agents)).toEqual(new Set([agent]));
  });
});
