import { Schema } from "mongoose";
import type { ChannelFinding } from "../domain/post/channel-finding.ts";
import type { SinkName } from "../domain/post/post.ts";

/** What was found out about a channel for the posts that are planned in it, and when it is looked at next. */
export interface ChannelCheckRow {
  /** Sink, guild and channel. */
  readonly _id: string;
  readonly sink: SinkName;
  readonly guildId: string;
  readonly channel: string;
  /** Before 1971 for a channel that was never checked: it goes before all others, by its place in its guild. */
  readonly checkAt: Date;
  /** Absent until the first check. */
  readonly checkedAt?: Date;
  readonly finding?: ChannelFinding;
  /** Since when each check found a problem. */
  readonly problemSince?: Date;
  /** When it is forgotten unless it is checked again: a sink may have been switched off. */
  readonly expiresAt: Date;
}

const texts = { type: [String], default: undefined };

export const channelCheckSchema = new Schema<ChannelCheckRow>(
  {
    _id: { type: String, required: true },
    sink: String,
    guildId: String,
    channel: String,
    checkAt: Date,
    checkedAt: Date,
    finding: { type: { kind: String, missing: texts, mentionableRoles: texts }, _id: false },
    problemSince: Date,
    expiresAt: Date,
  },
  { collection: "channel_checks", versionKey: false },
);
channelCheckSchema.index({ sink: 1, checkAt: 1 });
channelCheckSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
