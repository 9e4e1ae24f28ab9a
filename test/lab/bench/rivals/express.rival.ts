import express, { type NextFunction, type Request, type Response } from "express";
import mongoose, { Schema } from "mongoose";
import { RIVAL_EVENT_INDEX, type RivalEvent, type RivalKey } from "./rival-data.ts";
import { listed, view } from "./rival-events.ts";
import { opens, rivalKeys } from "./rival-keys.ts";

/** Two endpoints written by hand on express and mongoose, lean: the way most services of this kind are written. */
await mongoose.connect(process.env["MONGO_URL"] ?? "", { maxPoolSize: 50, readConcernLevel: "majority" });
const schema = new Schema<RivalEvent>(
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
  { collection: "rival_events", versionKey: false, autoIndex: false },
);
schema.index(RIVAL_EVENT_INDEX);
const events = mongoose.model<RivalEvent>("RivalEvent", schema);
const keyOf = rivalKeys(mongoose.connection.collection<RivalKey>("rival_keys"));

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.use(express.json({ limit: 65_536 }));
// express 5 awaits what a handler returns.
app.use(admit);
app.post("/v2/events/get", get);
app.post("/v2/events/list/range", list);
app.listen(Number(process.env["PORT"]), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));

/** What a request of these two may hold. */
interface Body {
  readonly guild_id?: unknown;
  readonly calendar_number?: unknown;
  readonly event_id?: unknown;
  readonly epoch_start?: unknown;
  readonly epoch_end?: unknown;
}

async function admit(request: Request, response: Response, next: NextFunction): Promise<void> {
  const { authorization } = request.headers;
  const key = authorization === undefined ? null : await keyOf(authorization);
  if (key === null) return refuse(response, 401);
  const { guild_id, calendar_number } = request.body as Body;
  if (typeof guild_id !== "string" || !/^[1-9]\d{0,18}$/.test(guild_id)) return refuse(response, 400);
  if (!Number.isInteger(calendar_number)) return refuse(response, 400);
  if (!opens(key, guild_id)) return refuse(response, 403);
  next();
}

async function get(request: Request, response: Response): Promise<void> {
  const { guild_id, calendar_number, event_id } = request.body as Body;
  if (typeof event_id !== "string") return refuse(response, 400);
  const event = await events.findOne({ _id: event_id, guild_id, calendar_number } as never).lean<RivalEvent>();
  if (event === null) return refuse(response, 404);
  response.json(view(event));
}

async function list(request: Request, response: Response): Promise<void> {
  const { guild_id, calendar_number, epoch_start: from, epoch_end: last } = request.body as Body;
  if (typeof from !== "number" || typeof last !== "number") return refuse(response, 400);
  const touching = { guild_id, calendar_number, epoch_start: { $lte: last }, last: { $gte: from } };
  const found = await events.find(touching as never).lean<RivalEvent[]>();
  response.json({ events: listed(found, from, last + 1) });
}

function refuse(response: Response, status: number): void {
  response.status(status).json({ message: "Refused" });
}
