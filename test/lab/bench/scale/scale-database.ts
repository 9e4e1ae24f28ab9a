import mongoose, { type Connection } from "mongoose";
import { announcementSchema } from "../../../../services/announcements/announcement.document.ts";
import { calendarsStore } from "../../../../services/calendar-events/store/calendars.store.ts";
import { eventSchema } from "../../../../services/calendar-events/store/calendar-event.document.ts";
import type { EpochMs } from "../../../../services/contracts/ids.ts";
import { guildSettingsStore } from "../../../../services/guild-settings/guild-settings.store.ts";
import { type GuildRows, guildRowsAt } from "./synthetic-guilds.ts";

const ROWS_AT_ONCE = 5_000;
const COLLECTIONS = ["calendar_events", "announcements", "guild_settings"] as const satisfies (keyof GuildRows)[];

/** Bytes on disk of a collection, and of each of its indexes. */
export interface CollectionBytes {
  readonly name: string;
  readonly rows: number;
  readonly data: number;
  readonly indexes: Readonly<Record<string, number>>;
}

/** A connection with the models of the owners. */
export async function connectTo(mongoUrl: string): Promise<Connection> {
  const options = { autoIndex: false, autoCreate: false } as const;
  const connection = await mongoose.createConnection(mongoUrl, options).asPromise();
  connection.model("CalendarEvent", eventSchema);
  connection.model("Announcement", announcementSchema);
  guildSettingsStore(connection);
  calendarsStore(connection);
  return connection;
}

/**
 * Writes the rows of guilds, as the owners would have stored them, and then builds the indexes.
 *
 * @param isFilled - Whether the guild of a rank is written.
 */
export async function fillGuilds(
  connection: Connection,
  guilds: number,
  writtenAt: EpochMs,
  isFilled: (rank: number) => boolean = () => true,
): Promise<void> {
  const waiting = new Map<(typeof COLLECTIONS)[number], object[]>(COLLECTIONS.map((name) => [name, []]));
  const store = async (least: number) => {
    for (const [name, rows] of waiting) {
      if (rows.length < least) continue;
      // One at a time: the rows of a burst would fill the memory.
      await connection.collection(name).insertMany(rows, { ordered: false, writeConcern: { w: 1 } });
      waiting.set(name, []);
    }
  };
  for (let rank = 1; rank <= guilds; rank += 1) {
    if (!isFilled(rank)) continue;
    const rows = guildRowsAt(rank, guilds, writtenAt);
    for (const name of COLLECTIONS) waiting.get(name)?.push(...rows[name]);
    await store(ROWS_AT_ONCE);
  }
  await store(1);
  for (const model of Object.values(connection.models)) await model.createIndexes();
}

/** The sizes after a checkpoint, without empty collections. */
export async function storedBytes(connection: Connection): Promise<CollectionBytes[]> {
  const { db } = connection;
  if (db === undefined) throw new Error("not connected");
  await connection.getClient().db("admin").command({ fsync: 1 });
  const found = await db.listCollections().toArray();
  const sizes = await Promise.all(
    found.map(async ({ name }) => {
      const { count, storageSize, indexSizes } = await db.command({ collStats: name });
      return {
        name,
        rows: count as number,
        data: storageSize as number,
        indexes: indexSizes as Record<string, number>,
      };
    }),
  );
  return sizes.filter(({ rows }) => rows > 0).toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
