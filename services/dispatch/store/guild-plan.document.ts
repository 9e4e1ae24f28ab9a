import { Schema } from "mongoose";
import type { SinkName } from "../domain/post/sink-name.ts";
import type { Position } from "../domain/plan/plan-order.ts";
import type { Feed } from "../protocol/feeds.ts";

/** The stored form of `BoundedPlan`. */
export interface BoundedPlanFields {
  /** `end`. */
  readonly cut: Position;
  /** `farthestEnd`. */
  readonly reached: Position;
  /** `recordedThrough`. */
  readonly toldThrough: number;
}

/** How far a guild is planned; `_id` is the guild's id. */
export interface GuildPlanRow {
  readonly _id: string;
  readonly version: number;
  readonly plannedThrough: Date;
  readonly replanAt: Date;
  readonly bounded?: BoundedPlanFields;
  readonly occurrencesThrough?: Date;
  readonly requests?: number;
}

const positionPath = { type: { at: Number, announcementId: String, occurrenceId: String, offset: String }, _id: false };

export const guildPlanSchema = new Schema<GuildPlanRow>(
  {
    _id: { type: String, required: true },
    version: Number,
    plannedThrough: Date,
    replanAt: Date,
    bounded: { type: { cut: positionPath, reached: positionPath, toldThrough: Number }, _id: false },
    occurrencesThrough: Date,
    requests: Number,
  } satisfies Record<keyof GuildPlanRow, unknown>,
  { collection: "guild_plans", versionKey: false },
);
guildPlanSchema.index({ replanAt: 1 });

/** A copy of an announcement, occurrence or settings: `body` is JSON, `digest` is its version. */
export interface SourceRow {
  readonly _id: string;
  readonly guildId: string;
  readonly digest: string;
  readonly body: string;
  readonly neededUntil: Date;
}

export const sourceSchema = new Schema<SourceRow>(
  {
    _id: { type: String, required: true },
    guildId: String,
    digest: String,
    body: String,
    neededUntil: Date,
  } satisfies Record<keyof SourceRow, unknown>,
  { collection: "plan_sources", versionKey: false },
);
sourceSchema.index({ neededUntil: 1 }, { expireAfterSeconds: 0 });

/** Since when a sink is enabled; `_id` is the sink's name. */
export interface SinkRow {
  readonly _id: SinkName;
  readonly since: Date;
}

export const sinkSchema = new Schema<SinkRow>(
  { _id: { type: String, required: true }, since: Date } satisfies Record<keyof SinkRow, unknown>,
  { collection: "sinks", versionKey: false },
);

/** How far a feed's changes are planned; `_id` is the feed. */
export interface FeedMarkRow {
  readonly _id: Feed;
  /** The lowest mark of all partitions; absent before each of them has one. The previous release reads and writes it alone. */
  readonly at?: number;
  readonly id?: string;
  /** By the name of the partition: `p` and its number. */
  readonly partitions?: Readonly<Record<string, PartitionMarkFields>>;
}

interface PartitionMarkFields {
  readonly at: number;
  readonly id: string;
  readonly confirmedAt: number;
  readonly by: string;
  readonly savedAt: Date;
}

export const feedMarkSchema = new Schema<FeedMarkRow>(
  {
    _id: { type: String, required: true },
    at: Number,
    id: String,
    partitions: Schema.Types.Mixed,
  } satisfies Record<keyof FeedMarkRow, unknown>,
  { collection: "feed_marks", versionKey: false },
);
