import { Schema } from "mongoose";
import { type Tracked, trackedIndexes, trackedPaths } from "../../mixins/mongo/tracked-record.ts";
import { FORMER_INDEX } from "../../mixins/mongo/former-state.ts";
import type { Announcement } from "../contracts/announcements.contract.ts";
import { digestSchema, type FormerRuleFields, formerSchema, offsetPaths } from "./former-rules.store.ts";

/** The stored form of an announcement. */
export interface AnnouncementRow
  extends Tracked, Omit<Announcement, "id" | "guildId" | "revision" | "standsSince" | "changedBy"> {
  standsSince: Date;
  /** Time of the create, by the clock of the database server; the order of lists. */
  sequence: Date;
  /** Slot of the announcement in its guild, 0 … 999. Slots are unique, so a guild never has more than 1000. */
  slot: number;
  former?: FormerRuleFields;
}

export const announcementSchema = new Schema<AnnouncementRow>(
  {
    _id: { type: String, required: true },
    ...trackedPaths,
    channel: String,
    type: String,
    eventId: String,
    eventColor: String,
    hours: Number,
    minutes: Number,
    offsets: { type: [offsetPaths], default: undefined },
    digest: digestSchema,
    info: String,
    template: { type: { title: String, body: String, fields: [String], _id: false }, default: undefined },
    onChange: String,
    cleanUp: Number,
    pausedUntil: Number,
    pauseEndedAt: Number,
    skipOn: Number,
    enabled: Boolean,
    infoOnly: Boolean,
    subscribersRole: [String],
    subscribersUser: [String],
    standsSince: Date,
    sequence: Date,
    slot: Number,
    former: formerSchema,
  } satisfies Record<keyof AnnouncementRow, unknown>,
  { collection: "announcements", versionKey: false },
);
// A tombstone has no sequence: the index of lists contains only existing announcements.
announcementSchema.index({ guildId: 1, sequence: 1 }, { partialFilterExpression: { sequence: { $exists: true } } });
announcementSchema.index(
  { guildId: 1, slot: 1 },
  { unique: true, partialFilterExpression: { slot: { $exists: true } } },
);
announcementSchema.index({ guildId: 1 }, { name: "announcing", partialFilterExpression: { enabled: true } });
announcementSchema.index(...FORMER_INDEX);
/** For the changes of a guild, which include tombstones. */
export const GUILD_CHANGES_INDEX = { guildId: 1, changedAt: 1, _id: 1 } as const;
announcementSchema.index(GUILD_CHANGES_INDEX);
for (const [keys, options] of trackedIndexes) announcementSchema.index(keys, options);
