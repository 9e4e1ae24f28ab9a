import type { Connection } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { type ChannelCheckRow, channelCheckSchema } from "./channel-check.document.ts";
import { type ChannelFinding, hasNoProblem } from "../domain/post/channel-finding.ts";
import { OPEN_STATES, type Post } from "../domain/post/post.ts";
import { type PostRow, postSchema } from "../store/post.document.ts";

/** A channel that posts of a guild go to through a sink. */
export type PostChannel = Pick<Post, "sink" | "guildId" | "channel">;

export interface KnownFinding {
  readonly finding: ChannelFinding;
  readonly checkedAt: EpochMs;
}

/**
 * The queue of channels to check, and the findings, shared by all replicas. The replica that plans a post enqueues its
 * channel, any replica checks it, and any replica reads the finding.
 */
export interface ChannelChecksStore {
  /** Adds channels that are not in the queue yet, up to a number for each guild. */
  enqueue(channels: readonly PostChannel[], now: EpochMs): Promise<void>;
  /** Takes the channel whose check is longest overdue. No other replica gets it within `leaseMs`. */
  leaseNext(sink: PostChannel["sink"], now: EpochMs, leaseMs: number): Promise<PostChannel | undefined>;
  /** Whether an open post goes to the channel. */
  isNeeded(channel: PostChannel): Promise<boolean>;
  save(channel: PostChannel, finding: ChannelFinding, now: EpochMs): Promise<void>;
  remove(channel: PostChannel): Promise<void>;
  /** Findings by `channelKey`. */
  findings(channels: readonly PostChannel[]): Promise<ReadonlyMap<string, KnownFinding>>;
}

/** Of one guild in one sink; announcements can't name more at a time. Bounds the rows of a guild that changes its channels. */
const MAX_CHANNELS = 1_000;
const MINUTE_MS = 60_000;
const INTERVAL_MS = 60 * MINUTE_MS;
/** A channel with a problem is checked more often; the interval is the age of the problem, within these bounds. */
const MIN_PROBLEM_INTERVAL_MS = 2 * MINUTE_MS;
const MAX_PROBLEM_INTERVAL_MS = 30 * MINUTE_MS;
const RETENTION_MS = 7 * 24 * 60 * MINUTE_MS;
const CHANNELS_PER_COMMAND = 500;

export function channelChecksStore(connection: Connection): ChannelChecksStore {
  const checks = connection.model<ChannelCheckRow>("ChannelCheck", channelCheckSchema);
  const posts = connection.model<PostRow>("Post", postSchema);

  /** Rows of the channels whose guilds have room; `checkAt` is their order in the guild. */
  async function newRows(missing: readonly PostChannel[], now: EpochMs): Promise<ChannelCheckRow[]> {
    const places = new Map<string, number>();
    const rows: ChannelCheckRow[] = [];
    for (const channel of missing) {
      const guild = `${channel.sink}:${channel.guildId}:`;
      // Sequential on purpose: each guild is counted once.
      const place = places.get(guild) ?? (await countOf(guild));
      places.set(guild, place + 1);
      if (place >= MAX_CHANNELS) continue;
      const { sink, guildId, channel: id } = channel;
      const times = { checkAt: new Date(place), expiresAt: new Date(now + RETENTION_MS) };
      rows.push({ _id: channelKey(channel), sink, guildId, channel: id, ...times });
    }
    return rows;
  }

  /** @param guild - The prefix of the ids of the guild's rows. */
  function countOf(guild: string): Promise<number> {
    return checks.countDocuments({ _id: { $gte: guild, $lt: `${guild}~` } }, { limit: MAX_CHANNELS });
  }

  return {
    async enqueue(channels, now) {
      for (let from = 0; from < channels.length; from += CHANNELS_PER_COMMAND) {
        const some = channels.slice(from, from + CHANNELS_PER_COMMAND);
        const known = await checks.find({ _id: { $in: some.map(channelKey) } }, { _id: 1 }).lean<{ _id: string }[]>();
        const ids = new Set(known.map(({ _id }) => _id));
        const rows = await newRows(
          some.filter((channel) => !ids.has(channelKey(channel))),
          now,
        );
        // Another replica may have added them meanwhile.
        if (rows.length > 0) await checks.insertMany(rows, { ordered: false, lean: true }).catch(unlessDuplicate);
      }
    },

    async leaseNext(sink, now, leaseMs) {
      const due = { sink, checkAt: { $lte: new Date(now) } };
      const row = await checks.findOne(due).sort({ checkAt: 1 }).lean<ChannelCheckRow>();
      if (row === null) return undefined;
      const unchanged = { _id: row._id, checkAt: row.checkAt };
      const { matchedCount } = await checks.updateOne(unchanged, { checkAt: new Date(now + leaseMs) });
      return matchedCount === 0 ? undefined : { sink, guildId: row.guildId as never, channel: row.channel };
    },

    async isNeeded({ sink, guildId, channel }) {
      const open = { $in: [...OPEN_STATES] };
      return (await posts.exists({ guildId, state: open, sink, channel } as never)) !== null;
    },

    async save(channel, finding, now) {
      const _id = channelKey(channel);
      const found = { finding, checkedAt: new Date(now), expiresAt: new Date(now + RETENTION_MS) };
      if (hasNoProblem(finding)) {
        const checkAt = new Date(now + INTERVAL_MS);
        await checks.updateOne({ _id }, { $set: { ...found, checkAt }, $unset: { problemSince: 1 } });
        return;
      }
      const before = await checks.findById(_id, { problemSince: 1 }).lean<ChannelCheckRow>();
      const problemSince = before?.problemSince ?? new Date(now);
      const age = now - problemSince.getTime();
      const checkAt = new Date(now + Math.min(MAX_PROBLEM_INTERVAL_MS, Math.max(MIN_PROBLEM_INTERVAL_MS, age)));
      await checks.updateOne({ _id }, { $set: { ...found, checkAt, problemSince } });
    },

    async remove(channel) {
      await checks.deleteOne({ _id: channelKey(channel) });
    },

    async findings(channels) {
      const known = new Map<string, KnownFinding>();
      for (let from = 0; from < channels.length; from += CHANNELS_PER_COMMAND) {
        const ids = channels.slice(from, from + CHANNELS_PER_COMMAND).map(channelKey);
        const rows = await checks.find({ _id: { $in: ids } }).lean<ChannelCheckRow[]>();
        for (const { _id, finding, checkedAt } of rows) {
          if (finding !== undefined) known.set(_id, { finding, checkedAt: checkedAt?.getTime() ?? 0 });
        }
      }
      return known;
    },
  };
}

/** The row's id. */
export function channelKey({ sink, guildId, channel }: PostChannel): string {
  return `${sink}:${guildId}:${channel}`;
}

function unlessDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}
