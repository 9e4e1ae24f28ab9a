import express, { type NextFunction, type Request, type Response } from "express";
import mongoose, { Schema } from "mongoose";
import { jsonInteger } from "../../../../services/api/wire/exact-json.ts";
import {
  BASELINE_ANNOUNCEMENT_INDEX,
  BASELINE_EVENT_INDEX,
  type BaselineAnnouncement,
  type BaselineEvent,
  type BaselineKey,
  type BaselineSettings,
} from "./baseline-data.ts";
import { listed, newId, view } from "./baseline-events.ts";
import { opens, baselineKeys } from "./baseline-keys.ts";

/** The endpoints of the bench, written by hand on express and mongoose (lean), as most services of this kind are. */
await mongoose.connect(process.env["MONGO_URL"] ?? "", {
  maxPoolSize: 50,
  readConcernLevel: "majority",
  writeConcern: { w: "majority", journal: true },
});
const options = { versionKey: false, autoIndex: false } as const;
const eventSchema = new Schema<BaselineEvent>(
  {
    _id: { type: String, required: true },
    guild_id: String,
    calendar_number: Number,
    epoch_start: Number,
    epoch_end: Number,
    last: Number,
    name: String,
    description: String,
    location: String,
    image: String,
    color: String,
    recurrence: { type: { frequency: String, count: Number, interval: Number }, _id: false },
  },
  { ...options, collection: "baseline_events" },
);
eventSchema.index(BASELINE_EVENT_INDEX);
const settingsSchema = new Schema<BaselineSettings>(
  {
    _id: { type: String, required: true },
    external_calendar: Boolean,
    control_role: String,
    simple_announcements: Boolean,
    lang: String,
    prefix: String,
    patron_guild: Boolean,
    dev_guild: Boolean,
    max_calendars: Number,
    twelve_hour: Boolean,
    branded: Boolean,
  },
  { ...options, collection: "baseline_settings" },
);
const announcementSchema = new Schema<BaselineAnnouncement>(
  {
    _id: { type: String, required: true },
    guild_id: String,
    sequence: Number,
    channel: String,
    event_id: String,
    event_color: String,
    type: String,
    hours: Number,
    minutes: Number,
    info: String,
    enabled: Boolean,
    info_only: Boolean,
    subscribers_role: [String],
    subscribers_user: [String],
  },
  { ...options, collection: "baseline_announcements" },
);
announcementSchema.index(BASELINE_ANNOUNCEMENT_INDEX);
const events = mongoose.model<BaselineEvent>("BaselineEvent", eventSchema);
const settings = mongoose.model<BaselineSettings>("BaselineSettings", settingsSchema);
const announcements = mongoose.model<BaselineAnnouncement>("BaselineAnnouncement", announcementSchema);
const keyOf = baselineKeys(mongoose.connection.collection<BaselineKey>("baseline_keys"));

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.use(express.json({ limit: 65_536 }));
// express 5 awaits the promise of a handler.
app.use(authorize);
app.post("/v2/events/get", getEvent);
app.post("/v2/events/list/range", listRange);
app.post("/v2/events/list/month", listMonth);
app.post("/v2/events/create", createEvent);
app.post("/v1/announcement/list", listAnnouncements);
app.post("/v2/guild/settings/get", getSettings);
app.listen(Number(process.env["PORT"]), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));

/** The fields of a request. */
type Body = Readonly<Record<string, unknown>>;

async function authorize(request: Request, response: Response, next: NextFunction): Promise<void> {
  const { authorization } = request.headers;
  const key = authorization === undefined ? null : await keyOf(authorization);
  if (key === null) return refuse(response, 401);
  const { guild_id } = request.body as Body;
  if (typeof guild_id !== "string" || !/^[1-9]\d{0,18}$/.test(guild_id)) return refuse(response, 400);
  if (!opens(key, guild_id)) return refuse(response, 403);
  response.locals["key"] = key;
  next();
}

async function getEvent(request: Request, response: Response): Promise<void> {
  const { guild_id, calendar_number, event_id } = request.body as Body;
  if (!isCalendar(calendar_number) || typeof event_id !== "string") return refuse(response, 400);
  const event = await events.findOne({ _id: event_id, guild_id, calendar_number } as never).lean<BaselineEvent>();
  if (event === null) return refuse(response, 404);
  response.json(view(event));
}

async function listRange(request: Request, response: Response): Promise<void> {
  const { epoch_start: from, epoch_end: last } = request.body as Body;
  if (!isEpoch(from) || !isEpoch(last)) return refuse(response, 400);
  await list(request.body as Body, from, last + 1, response);
}

async function listMonth(request: Request, response: Response): Promise<void> {
  const { epoch_start: from, days_in_month: days } = request.body as Body;
  if (!isEpoch(from) || !isWithin(days, 1, 31)) return refuse(response, 400);
  await list(request.body as Body, from, from + days * 86_400_000, response);
}

async function list({ guild_id, calendar_number }: Body, from: number, until: number, response: Response) {
  if (!isCalendar(calendar_number)) return refuse(response, 400);
  const touching = { guild_id, calendar_number, epoch_start: { $lt: until }, last: { $gte: from } };
  const found = await events.find(touching as never).lean<BaselineEvent[]>();
  response.json({ events: listed(found, from, until) });
}

const MAX_LENGTHS = { name: 256, description: 4_000, location: 256, image: 2_048, color: 16 } as const;

async function createEvent(request: Request, response: Response): Promise<void> {
  if ((response.locals["key"] as BaselineKey).access !== "write") return refuse(response, 403);
  const { guild_id, calendar_number, epoch_start, epoch_end, ...more } = request.body as Body;
  if (!isCalendar(calendar_number) || !isEpoch(epoch_start) || !isEpoch(epoch_end)) return refuse(response, 400);
  const texts = Object.entries(MAX_LENGTHS).map(([name, length]) => [name, more[name] ?? undefined, length] as const);
  if (texts.some(([, text, length]) => text !== undefined && !isText(text, length))) return refuse(response, 400);
  const _id = newId();
  await events.create({
    _id,
    guild_id: guild_id as string,
    calendar_number,
    epoch_start,
    epoch_end,
    last: epoch_end - 1,
    ...Object.fromEntries(texts),
    color: (more["color"] as string | undefined) ?? "NONE",
  });
  response.json({ message: "Event created", id: _id });
}

async function listAnnouncements(request: Request, response: Response): Promise<void> {
  const { guild_id, amount } = request.body as Body;
  if (!isWithin(amount, -1, 1_000)) return refuse(response, 400);
  if (amount === 0) return void response.json({ amount, announcements: [] });
  const found = await announcements
    .find({ guild_id: guild_id as string })
    .sort({ sequence: 1 })
    .limit(amount === -1 ? 1_000 : amount)
    .lean<BaselineAnnouncement[]>();
  response.json({ amount: found.length, announcements: found.map(announcementView) });
}

function announcementView({ _id, guild_id: _guild, sequence: _sequence, ...shown }: BaselineAnnouncement): object {
  return { id: _id, ...shown };
}

async function getSettings(request: Request, response: Response): Promise<void> {
  const { guild_id } = request.body as { readonly guild_id: string };
  const found = await settings.findOne({ _id: guild_id }).lean<BaselineSettings>();
  if (found === null) return refuse(response, 404);
  const { _id, ...shown } = found;
  // The id is a JSON number with all digits.
  response.json({ guild_id: jsonInteger(_id), ...shown });
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function isEpoch(value: unknown): value is number {
  return isWithin(value, 0, 253_402_300_799_999);
}

function isCalendar(value: unknown): value is number {
  return isWithin(value, 1, 1_000);
}

function isText(value: unknown, length: number): value is string {
  return typeof value === "string" && value.length <= length;
}

function refuse(response: Response, status: number): void {
  response.status(status).json({ message: "Refused" });
}
