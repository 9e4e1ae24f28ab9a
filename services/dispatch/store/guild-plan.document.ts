import { Schema } from "mongoose";
import type { SinkName } from "../domain/post/post.ts";
import type { Feed } from "../protocol/ports.ts";
import type { BoundedPlan } from "../protocol/post-store.ts";

/** How far a guild is planned; `_id` is the guild. */
export interface GuildPlanRow {
  readonly _id: string;
  readonly version: number;
  readonly plannedThrough: Date;
  readonly replanAt: Date;
  readonly bounded?: BoundedPlan;
  readonly occurrencesThrough?: Date;
}

const positionPath = { type: { at: Number, announcementId: String, occurrenceId: String }, _id: false };

export const guildPlanSchema = new Schema<GuildPlanRow>(
  {
    _id: { type: String, required: true },
    version: Number,
    plannedThrough: Date,
    replanAt: Date,
    bounded: { type: { cut: positionPath, reached: positionPath, toldThrough: Number }, _id: false },
    occurrencesThrough: Date,
  },
  { collection: "guild_plans", versionKey: false },
);
guildPlanSchema.index({ replanAt: 1 });

/** A thing of another context as it was last seen, as text; its version, by which a change is noticed, is `digest`. */
export interface SourceRow {
  readonly _id: string;
  readonly guildId: string;
  readonly digest: string;
  readonly body: string;
  readonly neededUntil: Date;
}

export const sourceSchema = new Schema<SourceRow>(
  { _id: { type: String, required: true }, guildId: String, digest: String, body: String, neededUntil: Date },
  { collection: "plan_sources", versionKey: false },
);
sourceSchema.index({ neededUntil: 1 }, { expireAfterSeconds: 0 });

/** Since when posts go through a sink; `_id` is the sink. */
export interface SinkRow {
  readonly _id: SinkName;
  readonly since: Date;
}

export const sinkSchema = new Schema<SinkRow>(
  { _id: { type: String, required: true }, since: Date },
  { collection: "sinks", versionKey: false },
);

/** How far an owner's changes have been read and planned; `_id` is the owner. */
export interface FeedMarkRow {
  readonly _id: Feed;
  readonly at: number;
  readonly id: string;
}

export const feedMarkSchema = new Schema<FeedMarkRow>(
  { _id: { type: String, required: true }, at: Number, id: String },
  { collection: "feed_marks", versionKey: false },
);
