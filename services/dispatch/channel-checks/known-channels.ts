import { withTimeout } from "../../../mixins/async/timeout.ts";
import type { EpochMs, GuildId } from "../../contracts/ids.ts";
import { type ChannelChecksStore, channelKey } from "./channel-checks.store.ts";
import type { Sink } from "../sinks/sink.ts";

/** Timeout of the read; far below the lease of a post. */
const READ_MS = 300;
/** Twice the interval between checks of a channel without a problem. */
const MAX_AGE_MS = 2 * 3_600_000;

/**
 * Adds to the sink the findings of the channel checks of all replicas. Without them a new replica would request every
 * channel from the receiver, and a burst of posts would need twice as many requests.
 *
 * @param now - Database time.
 */
export function withKnownChannels(sink: Sink, checks: Pick<ChannelChecksStore, "findings">, now: () => EpochMs): Sink {
  const { name, channels } = sink;
  if (channels === undefined) return sink;

  async function isOwn(guildId: string, channel: string): Promise<boolean> {
    const postChannel = { sink: name, guildId: guildId as GuildId, channel };
    const found = await withTimeout(READ_MS, "find a channel check", checks.findings([postChannel])).catch(
      () => undefined,
    );
    const known = found?.get(channelKey(postChannel));
    return known !== undefined && known.finding.kind === "own" && now() - known.checkedAt < MAX_AGE_MS;
  }

  return {
    ...sink,
    async send(message, timeoutMs) {
      const { guildId, channel } = message;
      const beganAt = performance.now();
      if (!channels.isKnown(channel) && (await isOwn(guildId, channel))) channels.learn(guildId, channel);
      return sink.send(message, Math.max(1, timeoutMs - (performance.now() - beganAt)));
    },
  };
}
