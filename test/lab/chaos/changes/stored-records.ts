import type { Connection } from "mongoose";
import type { ChangeKind } from "../../../../services/contracts/guild-changes.contract.ts";
import { recordKey, type StoredRecord, type StoredRecords } from "./changes-verdict.ts";

interface StoredRow {
  readonly _id: string;
  readonly revision?: number;
  readonly deletedAt?: Date;
  readonly state?: string;
}

/** Where the records of each kind are stored, and which of them are changes. */
const COLLECTIONS: readonly { kind: ChangeKind; collection: string; filter: (guildId: string) => object }[] = [
  { kind: "settings", collection: "guild_settings", filter: (guildId) => ({ _id: guildId }) },
  { kind: "calendar", collection: "calendars", filter: (guildId) => ({ guildId }) },
  { kind: "event", collection: "calendar_events", filter: (guildId) => ({ guildId, changedAt: { $exists: true } }) },
  { kind: "announcement", collection: "announcements", filter: (guildId) => ({ guildId }) },
  { kind: "post", collection: "posts", filter: (guildId) => ({ guildId, recordedAt: { $exists: true } }) },
  { kind: "webhook", collection: "webhooks", filter: (guildId) => ({ guildId }) },
];
const KINDS_OF_WEBHOOKS: ReadonlySet<ChangeKind> = new Set(["settings", "calendar", "event", "post"]);
const OPEN_STATES = ["planned", "sending"];

/** The records of a guild as the database has them: the truth that readers are compared with. */
export async function storedRecords(database: Connection, guildId: string): Promise<StoredRecords> {
  const records = new Map<string, StoredRecord>();
  for (const { kind, collection, filter } of COLLECTIONS) {
    const projection = { revision: 1, deletedAt: 1, state: 1 };
    const rows = await database.collection<StoredRow>(collection).find(filter(guildId), { projection }).toArray();
    for (const { _id, revision = 1, deletedAt, state } of rows) {
      const id = kind === "calendar" ? _id.slice(_id.indexOf("/") + 1) : _id;
      const isDelivered = KINDS_OF_WEBHOOKS.has(kind) && state !== "skipped";
      records.set(recordKey({ kind, id }), { revision, deleted: deletedAt !== undefined, isDelivered });
    }
  }
  return records;
}

/** Number of posts that have no outcome yet. */
export function countOpenPosts(database: Connection): Promise<number> {
  return database.collection("posts").countDocuments({ state: { $in: OPEN_STATES } });
}
