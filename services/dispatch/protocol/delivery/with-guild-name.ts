import type { MessageInput } from "../../domain/message/announcement-embed.ts";
import type { CompleteState } from "../../domain/plan/current-state.ts";
import type { Sink } from "../../sinks/sink.ts";

/** Timeout of the read of the name, for which the claim waits: shorter than the current state is valid. */
const GUILD_NAME_TIMEOUT_MS = 400;

/** Adds the guild's name, which the sink knows, if the guild's posts are branded (D33). Without it a post has no author. */
export async function withGuildName({ channels }: Pick<Sink, "channels">, state: CompleteState): Promise<MessageInput> {
  if (!state.settings.branded || channels === undefined) return state;
  return { ...state, guildName: await channels.guildName(state.announcement.guildId, GUILD_NAME_TIMEOUT_MS) };
}
