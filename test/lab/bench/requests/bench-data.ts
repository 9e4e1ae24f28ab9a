import { hash } from "node:crypto";
import mongoose, { type Connection } from "mongoose";
import { newEventId } from "../../../../services/calendar-events/domain/event/event-id.ts";
import type { CreateEventParams } from "../../../../services/contracts/calendar-events.contract.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { RIVAL_ANNOUNCEMENT_INDEX, RIVAL_EVENT_INDEX, type RivalEvent } from "../rivals/rival-data.ts";
import { ask } from "./ask.ts";
import type { Reached } from "./ask.ts";
import type { Subject } from "./subjects.ts";

export const GUILD = "375357265198317579" as GuildId;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MAY = Date.UTC(2024, 4, 1);

type NewEvent = Omit<CreateEventParams, "guildId" | "calendarNumber">;

/** A week of fifty single events, and a month of twelve series beside thirty single events: 100 entries in all. */
export const WEEK = { from: MAY, until: MAY + 7 * DAY };
export const MONTH = { from: Date.UTC(2024, 5, 1), days: 30 };
/** The events of the week: the first that are made. */
export const WEEKS_EVENTS = Array.from({ length: 50 }, (_, at) => newEventId(at + 1, new Uint8Array(15)));
/** The guilds that have settings of their own. */
export const SETTLED_GUILDS = Array.from({ length: 50 }, (_, at) => guildAt(at));

/**
 * `total` events of one guild; what the rows ask for is there whatever the total, and single events as well as a series: a
 * window asks for each kind that there is.
 */
function guildEvents(total: number): NewEvent[] {
  const asked = [...inTheWeek(), ...inTheMonth()];
  if (total < asked.length) return [...asked.slice(0, total - 1), ...asked.slice(-1)];
  return [...asked, ...elsewhere(total - asked.length)];
}

function inTheWeek(): NewEvent[] {
  return Array.from({ length: 50 }, (_, at) => ({
    startsAt: WEEK.from + at * 3 * HOUR,
    endsAt: WEEK.from + at * 3 * HOUR + 2 * HOUR,
    name: `Raid night ${at}`,
    description: "Bring potions, food and a spare set; we meet at the gate a quarter of an hour before.",
    location: "The usual place",
    color: "RED" as const,
  }));
}

function inTheMonth(): NewEvent[] {
  const singles = Array.from({ length: 30 }, (_, at) => ({
    startsAt: MONTH.from + at * DAY + HOUR,
    endsAt: MONTH.from + at * DAY + 2 * HOUR,
    name: `Meeting ${at}`,
  }));
  const series = Array.from({ length: 12 }, (_, at) => ({
    startsAt: Date.UTC(2024, 4, 20) + at * HOUR,
    endsAt: Date.UTC(2024, 4, 20) + (at + 1) * HOUR,
    name: `Every week ${at}`,
    recurs: true,
    recurrence: { frequency: "WEEKLY" as const, count: at % 2 === 0 ? -1 : 20 },
  }));
  return [...singles, ...series];
}

/** Other years, before and after: what a window must not read. */
function elsewhere(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const days = 40 + ((at * 7919) % 3_600);
    const startsAt = at % 2 === 0 ? WEEK.from - days * DAY : MONTH.from + (days + 60) * DAY;
    return { startsAt, endsAt: startsAt + HOUR, name: `Elsewhere ${at}` };
  });
}

/** Fills the database past the services with the events of guilds; the first of them is the one that is asked for. */
export async function fillEvents(mongoUrl: string, guilds: number, eventsEach: number): Promise<void> {
  const calendar = await openCalendar(mongoUrl);
  for (let at = 0; at < guilds; at += 1) await calendar.fill(guildAt(at), guildEvents(eventsEach));
  await calendar.connection.close();
}

const MANY_GUILDS = 200;
const EVENTS_EACH = 150;
/** Guilds that are filled at once. */
const FILLING = 8;

/** Guilds of which any may be asked for, and the events of the week in each. */
export const ANY_OF_MANY = Array.from({ length: MANY_GUILDS }, (_, at) => ({
  guildId: guildAt(at),
  eventIds: WEEKS_EVENTS.map((_id, event) => newEventId(at * EVENTS_EACH + event + 1, new Uint8Array(15))),
}));

/** Fills those guilds: events past the services; settings and twenty announcements, through a service that it runs. */
export async function fillMany(mongoUrl: string, start: () => Promise<Subject>): Promise<void> {
  await fillEvents(mongoUrl, MANY_GUILDS, EVENTS_EACH);
  const subject = await start();
  try {
    const left = [...ANY_OF_MANY];
    const fill = async () => {
      for (let guild = left.pop(); guild !== undefined; guild = left.pop()) {
        await ask(subject, "/v2/guild/settings/update", { guild_id: guild.guildId, lang: "SPANISH" });
        await announce(subject, guild.guildId);
      }
    };
    await Promise.all(Array.from({ length: FILLING }, fill));
  } finally {
    await subject.stop();
  }
}

function guildAt(at: number): GuildId {
  return (at === 0 ? GUILD : String(1_000_000 + at)) as GuildId;
}

/** Gives guilds settings, and the first twenty announcements, through the service. */
export async function fillRest(subject: Reached): Promise<void> {
  for (const guild_id of SETTLED_GUILDS) await ask(subject, "/v2/guild/settings/update", { guild_id, lang: "SPANISH" });
  await announce(subject, GUILD);
}

async function announce(subject: Reached, guild_id: GuildId): Promise<void> {
  for (let at = 0; at < 20; at += 1) {
    await ask(subject, "/v1/announcement/create", {
      guild_id,
      channel: "375357265198317580",
      type: "UNIVERSAL",
      hours: at,
      minutes: 30,
      info: "Don't be late",
      subscribers_role: ["everyone"],
      subscribers_user: ["375357265198317581"],
    });
  }
}

/** The same data as the rivals store it. */
export async function fillRivals(mongoUrl: string, subject: Reached): Promise<void> {
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  const { key } = subject;
  await events(connection);
  const listed = await ask(subject, "/v1/announcement/list", { guild_id: GUILD, amount: -1 });
  const announcements = (listed["announcements"] as { id: string }[]).map((each, sequence) =>
    Object.assign(each, { _id: each.id, guild_id: GUILD, sequence }),
  );
  for (const guild_id of SETTLED_GUILDS) {
    const settings = await ask(subject, "/v2/guild/settings/get", { guild_id });
    await connection.collection<{ _id: string }>("rival_settings").insertOne({ ...settings, _id: guild_id });
  }
  await connection.collection<{ _id: string }>("rival_announcements").insertMany(announcements);
  await connection.collection("rival_announcements").createIndex(RIVAL_ANNOUNCEMENT_INDEX);
  await connection
    .collection<{ _id: string }>("rival_keys")
    .insertOne({ _id: hash("sha256", key, "hex"), access: "write", guilds: [] } as never);
  await connection.close();
}

async function events(connection: Connection): Promise<void> {
  const stored = await connection.collection("calendar_events").find({ guildId: GUILD }).sort({ _id: 1 }).toArray();
  const rows = (stored as never as StoredRow[]).map(rivalEvent);
  const collection = connection.collection<RivalEvent>("rival_events");
  for (let at = 0; at < rows.length; at += 5_000) await collection.insertMany(rows.slice(at, at + 5_000));
  await collection.createIndex(RIVAL_EVENT_INDEX);
}

function rivalEvent({ _id, startsAt, endsAt, color, recurrence, ...row }: StoredRow): RivalEvent {
  const { name, description, location } = row;
  return {
    _id,
    guild_id: GUILD,
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

/** When the last occurrence of a weekly series ends. */
function lastEnd(endsAt: number, { count, interval }: NonNullable<RivalEvent["recurrence"]>): number {
  return count === -1 ? Number.MAX_SAFE_INTEGER : endsAt + (count - 1) * interval * 7 * DAY;
}

interface StoredRow {
  readonly _id: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly name?: string;
  readonly description?: string;
  readonly location?: string;
  readonly color: string;
  readonly recurrence?: NonNullable<RivalEvent["recurrence"]>;
}
