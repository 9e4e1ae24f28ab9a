import { type Connection, Schema } from "mongoose";
import { changedRecords } from "../../mixins/mongo/changed-records.ts";
import { type ChangeFeed, changeFeed, saveRevision, stampedReplacement } from "../../mixins/mongo/change-feed.ts";
import { type Tracked, trackedIndexes, trackedPaths } from "../../mixins/mongo/tracked-record.ts";
import { reachedInstant } from "../../mixins/mongo/reached-instant.ts";
import { batchedFind } from "../../mixins/mongo/batched-find.ts";
import { revisionWritten } from "../../mixins/mongo/recent-writes.ts";
import type { ChangedRecords, ChangedRecordsParams } from "../contracts/guild-changes.contract.ts";
import type { GuildSettings } from "../contracts/guild-settings.contract.ts";
import type { GuildId } from "../contracts/ids.ts";

/** The stored form of the settings of a guild; `_id` is the guild. */
type SettingsRow = Tracked & Omit<GuildSettings, "guildId" | "revision">;

const schema = new Schema<SettingsRow>(
  {
    _id: { type: String, required: true },
    ...trackedPaths,
    externalCalendar: Boolean,
    controlRole: String,
    serviceChannel: String,
    simpleAnnouncements: Boolean,
    lang: String,
    prefix: String,
    patronGuild: Boolean,
    devGuild: Boolean,
    maxCalendars: Number,
    twelveHour: Boolean,
    branded: Boolean,
    template: { type: { title: String, body: String, fields: [String], _id: false }, default: undefined },
    pausedUntil: Number,
    pauseEndedAt: Number,
  } satisfies Record<keyof SettingsRow, unknown>,
  { collection: "guild_settings", versionKey: false },
);
for (const [keys, options] of trackedIndexes) schema.index(keys, options);

const READ_PROJECTION = { changedAt: 0, writes: 0, changedBy: 0 } as const;

type ReadRow = Omit<SettingsRow, keyof typeof READ_PROJECTION>;

export interface GuildSettingsStore extends ChangeFeed {
  /** Null for a guild that was never written. */
  find(guildId: GuildId): Promise<GuildSettings | null>;
  /** Stores `next` if the stored revision is one less; false if another write was stored in the meantime. */
  replace(next: GuildSettings): Promise<boolean>;
  /** The revision that an earlier attempt of the current write has stored; undefined if none has. */
  revisionWritten(guildId: GuildId): Promise<number | undefined>;
  /** The settings of a guild, if they changed after a position. */
  listChanged(params: ChangedRecordsParams): Promise<ChangedRecords<GuildSettings>>;
}

export function guildSettingsStore(connection: Connection): GuildSettingsStore {
  const model = connection.model<SettingsRow>("GuildSettings", schema);
  const read = batchedFind(model, READ_PROJECTION);
  return {
    async find(guildId) {
      const row = await read({ _id: guildId, guildId });
      return row === null ? null : settingsOf(row);
    },

    replace(next) {
      const record = { _id: next.guildId, ...next };
      return saveRevision(model, record, stampedReplacement(record, [], reachedInstant("pauseEndedAt", "pausedUntil")));
    },

    revisionWritten: (guildId) => revisionWritten(model, { guildId, _id: guildId }),

    ...changeFeed(model),

    listChanged: ({ guildId: _id, ...params }) =>
      changedRecords<ReadRow, GuildSettings>(
        { model, filter: { _id }, stamp: "changedAt", hint: { _id: 1 }, projection: READ_PROJECTION },
        params,
        (rows) => rows.map(settingsOf),
      ),
  };
}

function settingsOf({ _id, ...settings }: ReadRow): GuildSettings {
  return settings;
}
