import { httpClient } from "../../../../services/dispatch/sinks/http-client.ts";
import type { Arena, DuePost } from "./contender.ts";

/** Posts a message as the sink does: the rivals differ in when they post, not in how. */
export function receiverClient({ chatUrl, token }: Arena): (post: DuePost) => Promise<void> {
  const client = httpClient({ maxBodyBytes: 65_536 });
  const headers = {
    authorization: `Bot ${token}`,
    "user-agent": "DiscordBot (https://guildcal.example, 1.0)",
    "content-type": "application/json",
  };
  return async ({ title }) => {
    const body = JSON.stringify({ content: "", embeds: [{ title }] });
    const url = new URL(`${chatUrl}/channels/1/messages`);
    const answer = await client.exchange({ method: "POST", url, headers, body, timeoutMs: 5_000 });
    if (answer.kind !== "answered" || answer.status !== 200) throw new Error(`not posted: ${JSON.stringify(answer)}`);
  };
}
