import type { StandingTruth } from "../../domain/plan/current-state.ts";
import type { Announced } from "../../domain/message/announcement-embed.ts";
import type { Sink } from "../../sinks/sink.ts";

/** A claim waits for the name: less than the time for which the owners' answers stand. */
const NAME_MS = 400;

/** What is announced through a sink: a branded guild's name is the sink's to know (D33). Without it there is no author. */
export async function announcedThrough({ channels }: Pick<Sink, "channels">, truth: StandingTruth): Promise<Announced> {
  if (!truth.settings.branded || channels === undefined) return truth;
  return { ...truth, guildName: await channels.guildName(truth.announcement.guildId, NAME_MS) };
}
