import { type Connection, Schema } from "mongoose";
import { changesSince, saveRevision } from "../../mixins/mongo/change-feed.ts";
import { type Tracked, trackedIndexes, trackedPaths } from "../../mixins/mongo/tracked-record.ts";
import { batchedFind } from "../../mixins/mongo/batched-find.ts";
import { revisionWritten } from "../../mixins/mongo/recent-writes.ts";
import type { ChangesSinceParams, ChangesSinceResult } from "../contracts/change-feed.contract.ts";
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
  } satisfies Record<keyof SettingsRow, unknown>,
  { collection: "guild_settings", versionKey: false },
);
for (const [keys, options] of trackedIndexes) schema.index(keys, options);

export interface GuildSettingsStore {
  /** Null for a guild that was never written. */
  find(guildId: GuildId): Promise<GuildSettings | null>;
  /** Stores `next` if the stored revision is one less; false if another write was stored in the meantime. */
  replace(next: GuildSettings): Promise<boolean>;
  /** The revision that an earlier attempt of the current write has stored; undefined if none has. */
  revisionWritten(guildId: GuildId): Promise<number | undefined>;
  changesSince(params: ChangesSinceParams): Promise<ChangesSinceResult>;
}

export function guildSettingsStore(connection: Connection): GuildSettingsStore {
  const model = connection.model<SettingsRow>("GuildSettings", schema);
  const read = batchedFind(model, { changedAt: 0, writes: 0, changedBy: 0 });
  return {
    async find(guildId) {
      const row = await read(guildId);
      if (row === null) return null;
      const { _id, ...settings } = row;
      return settings;
    },

    replace: (next) => saveRevision(model, { _id: next.guildId, ...next }),

    revisionWritten: (guildId) => revisionWritten(model, { guildId, _id: guildId }),

    changesSince: (params) => changesSince(model, params),
  };
}
