import { Schema } from "mongoose";
import type { ChannelFinding } from "../domain/post/channel-finding.ts";
import type { SinkName } from "../domain/post/sink-name.ts";

/** The last check of a channel that planned posts go to, and when its next check is due. */
export interface ChannelCheckRow {
  /** `channelKey` of sink, guild and channel. */
  readonly _id: string;
  readonly sink: SinkName;
  readonly guildId: string;
  readonly channel: string;
  /** Before 1971 for a channel that was never checked: it goes before all checked ones, at its place in the order of its guild. */
  readonly checkAt: Date;
  /** Absent until the first check. */
  readonly checkedAt?: Date;
  readonly finding?: ChannelFinding;
  /** Since when every check has found a problem. */
  readonly problemSince?: Date;
  /** The row is deleted then, unless it is checked again: a sink may have been disabled. */
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
  } satisfies Record<keyof ChannelCheckRow, unknown>,
  { collection: "channel_checks", versionKey: false },
);
channelCheckSchema.index({ sink: 1, checkAt: 1 });
channelCheckSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
