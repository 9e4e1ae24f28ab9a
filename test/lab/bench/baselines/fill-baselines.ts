import { hash } from "node:crypto";
import mongoose, { type Connection } from "mongoose";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { type Address, postRequest } from "../requests/post-request.ts";
import { GUILDS } from "../requests/bench-data.ts";
import {
  BASELINE_ANNOUNCEMENT_INDEX,
  BASELINE_EVENT_INDEX,
  type BaselineAnnouncement,
  type BaselineEvent,
  type BaselineKey,
  type BaselineSettings,
} from "./baseline-data.ts";

const WEEK_MS = 7 * 86_400_000;

/** Copies the guilds of a database to the collections of the baselines; the API key is that of guildcal. */
export async function fillBaselines(mongoUrl: string, guildcal: Address): Promise<void> {
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  await fillEvents(connection);
  const settings: BaselineSettings[] = [];
  const announcements: BaselineAnnouncement[] = [];
  for (const { guildId } of GUILDS) {
    settings.push(await settingsOf(guildcal, guildId));
    announcements.push(...(await announcementsOf(guildcal, guildId)));
  }
  await connection.collection<BaselineSettings>("baseline_settings").insertMany(settings);
  await connection.collection<BaselineAnnouncement>("baseline_announcements").insertMany(announcements);
  await connection.collection("baseline_announcements").createIndex(BASELINE_ANNOUNCEMENT_INDEX);
  const key: BaselineKey = { _id: hash("sha256", guildcal.key, "hex"), access: "write", guilds: [] };
  await connection.collection<BaselineKey>("baseline_keys").insertOne(key);
  await connection.close();
}

async function settingsOf(guildcal: Address, guild_id: GuildId): Promise<BaselineSettings> {
  // The id is read from the text of the response, since JSON.parse rounds it.
  const { guild_id: _rounded, ...settings } = await postRequest(guildcal, "/v2/guild/settings/get", { guild_id });
  return { ...settings, _id: guild_id };
}

async function announcementsOf(guildcal: Address, guild_id: GuildId): Promise<BaselineAnnouncement[]> {
  const { announcements } = await postRequest(guildcal, "/v1/announcement/list", { guild_id, amount: -1 });
  return (announcements as { readonly id: string }[]).map(({ id, ...announcement }, sequence) =>
    Object.assign(announcement, { _id: id, guild_id, sequence }),
  );
}

async function fillEvents(connection: Connection): Promise<void> {
  const stored = await connection.collection("calendar_events").find({}).sort({ _id: 1 }).toArray();
  const collection = connection.collection<BaselineEvent>("baseline_events");
  await collection.insertMany((stored as never as StoredEvent[]).map(baselineEvent));
  await collection.createIndex(BASELINE_EVENT_INDEX);
}

function baselineEvent({ _id, guildId, startsAt, endsAt, color, recurrence, ...row }: StoredEvent): BaselineEvent {
  const { name, description, location } = row;
  return {
    _id,
    guild_id: guildId,
    calendar_number: 1,
    epoch_start: startsAt,
    epoch_end: endsAt,
    last: recurrence === undefined ? endsAt : lastEnd(endsAt, recurrence),
    color,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
    ...(recurrence === undefined ? {} : { recurrence }),
  };
}

/** The end of a weekly series' last occurrence. */
function lastEnd(endsAt: number, { count, interval }: NonNullable<BaselineEvent["recurrence"]>): number {
  return count === -1 ? Number.MAX_SAFE_INTEGER : endsAt + (count - 1) * interval * WEEK_MS;
}

interface StoredEvent {
  readonly _id: string;
  readonly guildId: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly name?: string;
  readonly description?: string;
  readonly location?: string;
  readonly color: string;
  readonly recurrence?: NonNullable<BaselineEvent["recurrence"]>;
}
