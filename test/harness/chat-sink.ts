import { discordSink, type DiscordSinkOptions } from "../../services/dispatch/sinks/discord/discord.sink.ts";
import { announced } from "../fixtures/announced-samples.ts";
import { renderAnnouncement } from "../../services/dispatch/domain/message/announcement-message.ts";
import type { OutgoingMessage, Sink } from "../../services/dispatch/sinks/sink.ts";
import { type ChatServer, type ChatServerOptions, startChatServer } from "./chat-server.ts";

export const CHANNEL = "400000000000000001";

/** A message part: the raid night's reminder, in a channel whose guild has the same id, with the given differences. */
export function outgoing(differences: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const message = renderAnnouncement(announced())[0]!;
  const { channel = CHANNEL } = differences;
  return { postId: "p", part: 0, nonce: "n1", guildId: channel, channel, message, ...differences };
}

/** A chat server, and the sink that posts to it. */
export interface ChatSink {
  readonly server: ChatServer;
  readonly sink: Sink;
  stop(): Promise<void>;
}

export async function startChatSink(
  serverOptions: ChatServerOptions = {},
  sinkOptions: Partial<DiscordSinkOptions> = {},
): Promise<ChatSink> {
  const server = await startChatServer(serverOptions);
  const standard = { token: server.token, apiUrl: server.url, botUrl: "https://example.com", requestsPerSecond: 50 };
  const sink = discordSink({ ...standard, ...sinkOptions });
  const stop = async () => {
    await sink.close();
    await server.stop();
  };
  return { server, sink, stop };
}
