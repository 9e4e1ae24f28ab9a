import type { Connection } from "mongoose";
import { isDuplicateKey } from "../../../mixins/mongo/change-feed.ts";
import type { EpochMs } from "../../contracts/ids.ts";
import { type ChannelCheckRow, channelCheckSchema } from "./channel-check.document.ts";
import { type ChannelFinding, isClear } from "../domain/post/channel-finding.ts";
import { OPEN_STATES, type Post } from "../domain/post/post.ts";
import { type PostRow, postSchema } from "../store/post.document.ts";

/** A channel that a guild's posts go to through a sink. */
export type PostChannel = Pick<Post, "sink" | "guildId" | "channel">;

/** A finding, and how old it is. */
export interface KnownFinding {
  readonly finding: ChannelFinding;
  readonly checkedAt: EpochMs;
}

/**
 * The channels that are checked, for all replicas together: who plans a post puts its channel in line, any replica
 * checks it, and any tells what was found. So the line is neither in memory nor lost with a process.
 */
export interface ChannelChecksStore {
  /** Puts channels in line that are not known yet; of one guild up to a number. */
  add(channels: readonly PostChannel[], now: EpochMs): Promise<void>;
  /** The channel that is due for a check for longest; nobody else gets it for `leaseMs`. */
  takeNext(sink: PostChannel["sink"], now: EpochMs, leaseMs: number): Promise<PostChannel | undefined>;
  /** Whether an open post goes to the channel. */
  isNeeded(channel: PostChannel): Promise<boolean>;
  save(channel: PostChannel, finding: ChannelFinding, now: EpochMs): Promise<void>;
  remove(channel: PostChannel): Promise<void>;
  /** What is known of channels, by sink, guild and channel. */
  findings(channels: readonly PostChannel[]): Promise<ReadonlyMap<string, KnownFinding>>;
}

/** A guild's announcements can't name more; who names new ones all the time does not fill the database. */
const MAX_CHANNELS = 1_000;
const MINUTE_MS = 60_000;
const AGAIN_MS = 60 * MINUTE_MS;
/** A problem is looked at again soon, and the less often the longer it has been there. */
const SOON_MS = 2 * MINUTE_MS;
const LATER_MS = 30 * MINUTE_MS;
const KEPT_MS = 7 * 24 * 60 * MINUTE_MS;
const IN_ONE_COMMAND = 500;

export function channelChecksStore(connection: Connection): ChannelChecksStore {
  const checks = connection.model<ChannelCheckRow>("ChannelCheck", channelCheckSchema);
  const posts = connection.model<PostRow>("Post", postSchema);

  /** Those of the guilds that have room, each with its place in its guild. */
  async function newRows(missing: readonly PostChannel[], now: EpochMs): Promise<ChannelCheckRow[]> {
    const places = new Map<string, number>();
    const rows: ChannelCheckRow[] = [];
    for (const channel of missing) {
      const guild = `${channel.sink}:${channel.guildId}:`;
      // Sequential on purpose: one count for each guild.
      const place = places.get(guild) ?? (await countOf(guild));
      places.set(guild, place + 1);
      if (place >= MAX_CHANNELS) continue;
      const { sink, guildId, channel: id } = channel;
      const times = { checkAt: new Date(place), expiresAt: new Date(now + KEPT_MS) };
      rows.push({ _id: keyOf(channel), sink, guildId, channel: id, ...times });
    }
    return rows;
  }

  /** The ids of one guild's rows begin with its own. */
  function countOf(guild: string): Promise<number> {
    return checks.countDocuments({ _id: { $gte: guild, $lt: `${guild}~` } }, { limit: MAX_CHANNELS });
  }

  return {
    async add(channels, now) {
      for (let from = 0; from < channels.length; from += IN_ONE_COMMAND) {
        const some = channels.slice(from, from + IN_ONE_COMMAND);
        const known = await checks.find({ _id: { $in: some.map(keyOf) } }, { _id: 1 }).lean<{ _id: string }[]>();
        const ids = new Set(known.map(({ _id }) => _id));
        const rows = await newRows(
          some.filter((channel) => !ids.has(keyOf(channel))),
          now,
        );
        // Another replica may have put them in line meanwhile.
        if (rows.length > 0) await checks.insertMany(rows, { ordered: false, lean: true }).catch(unlessDuplicate);
      }
    },

    async takeNext(sink, now, leaseMs) {
      const due = { sink, checkAt: { $lte: new Date(now) } };
      const row = await checks.findOne(due).sort({ checkAt: 1 }).lean<ChannelCheckRow>();
      if (row === null) return undefined;
      const asSeen = { _id: row._id, checkAt: row.checkAt };
      const { matchedCount } = await checks.updateOne(asSeen, { checkAt: new Date(now + leaseMs) });
      return matchedCount === 0 ? undefined : { sink, guildId: row.guildId as never, channel: row.channel };
    },

    async isNeeded({ sink, guildId, channel }) {
      const open = { $in: [...OPEN_STATES] };
      return (await posts.exists({ guildId, state: open, sink, channel } as never)) !== null;
    },

    async save(channel, finding, now) {
      const _id = keyOf(channel);
      const found = { finding, checkedAt: new Date(now), expiresAt: new Date(now + KEPT_MS) };
      if (isClear(finding)) {
        const checkAt = new Date(now + AGAIN_MS);
        await checks.updateOne({ _id }, { $set: { ...found, checkAt }, $unset: { problemSince: 1 } });
        return;
      }
      const before = await checks.findById(_id, { problemSince: 1 }).lean<ChannelCheckRow>();
      const problemSince = before?.problemSince ?? new Date(now);
      const age = now - problemSince.getTime();
      const checkAt = new Date(now + Math.min(LATER_MS, Math.max(SOON_MS, age)));
      await checks.updateOne({ _id }, { $set: { ...found, checkAt, problemSince } });
    },

    async remove(channel) {
      await checks.deleteOne({ _id: keyOf(channel) });
    },

    async findings(channels) {
      const known = new Map<string, KnownFinding>();
      for (let from = 0; from < channels.length; from += IN_ONE_COMMAND) {
        const ids = channels.slice(from, from + IN_ONE_COMMAND).map(keyOf);
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
export function keyOf({ sink, guildId, channel }: PostChannel): string {
  return `${sink}:${guildId}:${channel}`;
}

function unlessDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}
