import type { Connection } from "mongoose";
import { changedRecords } from "../../mixins/mongo/changed-records.ts";
import type { Announcement } from "../contracts/announcements.contract.ts";
import type { ChangedRecords, ChangedRecordsParams } from "../contracts/guild-changes.contract.ts";
import { type AnnouncementRow, GUILD_CHANGES_INDEX } from "./announcement.document.ts";
import { announcementOf, LIST_PROJECTION, type ListedRow } from "./announcements.store.ts";

/** Reads the announcements of a guild that changed after a position. Needs their model on the connection. */
export function changedAnnouncementsReader(
  connection: Connection,
): (params: ChangedRecordsParams) => Promise<ChangedRecords<Announcement>> {
  return ({ guildId, ...params }) =>
    changedRecords<ListedRow, Announcement>(
      {
        model: connection.model<AnnouncementRow>("Announcement"),
        filter: { guildId },
        stamp: "changedAt",
        hint: GUILD_CHANGES_INDEX,
        projection: LIST_PROJECTION,
      },
      params,
      (rows) => rows.map((row) => announcementOf(row, guildId)),
    );
}
