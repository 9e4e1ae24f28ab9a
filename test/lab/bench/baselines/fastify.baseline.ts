import fastify from "fastify";
import {
  MongoClient,
  type BaselineAnnouncement,
  type BaselineEvent,
  type BaselineKey,
  type BaselineSettings,
} from "./baseline-data.ts";
import { listed, newId, view } from "./baseline-events.ts";
import { opens, baselineKeys } from "./baseline-keys.ts";
import { bodies, responses } from "./baseline-schemas.ts";

/**
 * The endpoints of the bench, written by hand on fastify and the MongoDB driver: key, guild and body are checked, responses
 * are serialized by their schemas, and writes wait for the majority's journal.
 */
declare module "fastify" {
  interface FastifyRequest {
    key: BaselineKey | null;
  }
}

interface InGuild {
  readonly guild_id: string;
}
type InCalendar = InGuild & { readonly calendar_number: number };

const client = new MongoClient(process.env["MONGO_URL"] ?? "", {
  writeConcern: { w: "majority", journal: true },
  readConcernLevel: "majority",
  maxPoolSize: 50,
});
await client.connect();
const db = client.db();
const events = db.collection<BaselineEvent>("baseline_events");
const settings = db.collection<BaselineSettings>("baseline_settings");
const announcements = db.collection<BaselineAnnouncement>("baseline_announcements");
const keyOf = baselineKeys(db.collection<BaselineKey>("baseline_keys"));

const app = fastify({ bodyLimit: 65_536 });
app.decorateRequest("key", null);
app.addHook("onRequest", async (request, reply) => {
  const { authorization } = request.headers;
  request.key = authorization === undefined ? null : await keyOf(authorization);
  if (request.key === null) return reply.code(401).send({ message: "Unauthorized" });
});
app.addHook("preHandler", async (request, reply) => {
  const { key } = request;
  if (key === null || !opens(key, (request.body as InGuild).guild_id)) {
    return reply.code(403).send({ message: "Forbidden" });
  }
});

app.post<{ Body: InCalendar & { event_id: string } }>(
  "/v2/events/get",
  { schema: { body: bodies.get, response: { 200: responses.event } } },
  async ({ body: { guild_id, calendar_number, event_id } }, reply) => {
    const event = await events.findOne({ _id: event_id, guild_id, calendar_number });
    return event === null ? reply.code(404).send({ message: "Event not found" }) : view(event);
  },
);

async function list(guild_id: string, calendar_number: number, from: number, until: number) {
  const touching = { guild_id, calendar_number, epoch_start: { $lt: until }, last: { $gte: from } };
  const found = await events.find(touching, { batchSize: 10_000 }).toArray();
  return { events: listed(found, from, until) };
}

app.post<{ Body: InCalendar & { epoch_start: number; epoch_end: number } }>(
  "/v2/events/list/range",
  { schema: { body: bodies.range, response: { 200: responses.events } } },
  ({ body }) => list(body.guild_id, body.calendar_number, body.epoch_start, body.epoch_end + 1),
);

app.post<{ Body: InCalendar & { epoch_start: number; days_in_month: number } }>(
  "/v2/events/list/month",
  { schema: { body: bodies.month, response: { 200: responses.events } } },
  ({ body }) =>
    list(body.guild_id, body.calendar_number, body.epoch_start, body.epoch_start + body.days_in_month * 86_400_000),
);

app.post<{ Body: Omit<BaselineEvent, "_id" | "last"> }>(
  "/v2/events/create",
  { schema: { body: bodies.create, response: { 200: responses.created } } },
  async ({ body, key }, reply) => {
    if (key?.access !== "write") return reply.code(403).send({ message: "Forbidden" });
    const _id = newId();
    await events.insertOne({ _id, ...body, color: body.color ?? "NONE", last: body.epoch_end - 1 });
    return { message: "Event created", id: _id };
  },
);

app.post<{ Body: InGuild & { amount: number } }>(
  "/v1/announcement/list",
  { schema: { body: bodies.announcements, response: { 200: responses.announcements } } },
  async ({ body: { guild_id, amount } }) => {
    if (amount === 0) return { amount, announcements: [] };
    const limit = amount === -1 ? 1000 : amount;
    const found = await announcements.find({ guild_id }, { sort: { sequence: 1 }, limit, batchSize: 1000 }).toArray();
    return { amount: found.length, announcements: found.map(renamed) };
  },
);

app.post<{ Body: InGuild }>(
  "/v2/guild/settings/get",
  { schema: { body: bodies.settings, response: { 200: responses.settings } } },
  async ({ body: { guild_id } }) => {
    const found = await settings.findOne({ _id: guild_id });
    return { ...found, guild_id: BigInt(guild_id) };
  },
);

/** The same object with the API's name of its id. */
function renamed(stored: BaselineAnnouncement): object {
  return Object.assign(stored, { id: stored._id });
}

await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
process.once("SIGTERM", () => process.exit(0));
