import mongoose from "mongoose";
import { freePort } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess, post } from "../../../harness/guildcal-process.ts";
import { until } from "../../../harness/until.ts";
import { startReceiver, type WebhookReceiver } from "../../../harness/webhook-receiver.ts";
import { WEBHOOKS_KEY } from "../../../harness/webhooks-key.ts";
import { type Lateness, latenessOf } from "./post-round.ts";

/** The occurrences of a round, and the webhooks that are notified of their starts. */
export interface Starts {
  readonly occurrences: number;
  readonly spreadMs: number;
  readonly guilds: number;
  /** Starts within this time after the first are not counted, because V8 compiles. */
  readonly warmUpMs: number;
  /** Time for creating and planning before the first start. */
  readonly leadMs: number;
}

/** From the start of an occurrence. */
export interface NotificationRound {
  /** Until the delivery is stored, by the database's clock. */
  readonly stored: Lateness;
  /** Until the receiver has the request. */
  readonly received: Lateness;
}

const KEY = "a-key-of-twenty-characters-or-more";
const EVENT_MS = 3_600_000;
const MAX_WAIT_MS = 120_000;
const WRITTEN_AT_ONCE = 16;

/** All services in one process, as with `npm start`. Throws if a start is lost or early. */
export async function notificationRound(mongoUrl: string, starts: Starts): Promise<NotificationRound> {
  const arrivals = new Map<string, number>();
  const receiver = await startReceiver(({ headers }) => {
    const id = String(headers["webhook-id"]);
    if (!arrivals.has(id)) arrivals.set(id, Date.now());
    return 200;
  });
  const port = String(await freePort(0));
  const keys = { API_KEY: KEY, WEBHOOKS_KEY, WEBHOOKS_ALLOW_PRIVATE: "yes" };
  const env = { MONGO_URL: mongoUrl, PORT: port, PROBE_PORT: "0", SINKS: "log", LOG_LEVEL: "error", ...keys };
  const launched = new GuildcalProcess("all", env);
  try {
    await launched.printed(/guildcal is ready/);
    return await measure(mongoUrl, `http://127.0.0.1:${port}`, receiver, arrivals, starts);
  } finally {
    await launched.end("SIGKILL");
    await receiver.close();
  }
}

async function measure(
  mongoUrl: string,
  baseUrl: string,
  receiver: WebhookReceiver,
  arrivals: ReadonlyMap<string, number>,
  { occurrences, spreadMs, guilds, warmUpMs, leadMs }: Starts,
): Promise<NotificationRound> {
  const guildOf = (n: number) => String(10_000 + (n % guilds));
  const ask = async (path: string, body: object) => {
    const { status } = await post(baseUrl, KEY, path, body);
    if (status !== 200) throw new Error(`${path} has the status ${status}`);
  };
  const firstAt = Date.now() + leadMs;
  await forEach(guilds, (n) =>
    ask("/v2/webhooks/create", { guild_id: guildOf(n), url: receiver.url, types: ["occurrence.started"] }),
  );
  await forEach(occurrences, (n) => {
    const startsAt = firstAt + Math.floor((n / occurrences) * spreadMs);
    const times = { epoch_start: startsAt, epoch_end: startsAt + EVENT_MS };
    return ask("/v2/events/create", { guild_id: guildOf(n), calendar_number: 1, ...times });
  });
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  try {
    const rows = connection.collection<{ dueAt: Date; lateMs: number }>("notifications");
    const planned = () => rows.countDocuments({});
    await until(async () => (await planned()) >= occurrences, "every start is planned", MAX_WAIT_MS);
    if (Date.now() > firstAt - 1_000) throw new Error("the starts were planned after the first of them");
    await until(() => arrivals.size >= occurrences, "every start is received", leadMs + spreadMs + MAX_WAIT_MS, 100);
    const sent = async () => rows.find({ state: "sent" }).toArray();
    await until(async () => (await sent()).length >= occurrences, "every outcome is stored", MAX_WAIT_MS, 100);
    const late = receiver.received.map(({ headers, body }) => {
      const { data } = JSON.parse(body) as { readonly data: { readonly occurred_at: number } };
      const receivedAt = arrivals.get(String(headers["webhook-id"])) ?? Infinity;
      return { dueAt: data.occurred_at, lateMs: receivedAt - data.occurred_at };
    });
    if (late.some(({ lateMs }) => lateMs < 0)) throw new Error("a start was received early");
    const stored = (await sent()).map(({ dueAt, lateMs }) => ({ dueAt: dueAt.getTime(), lateMs }));
    return { stored: latenessOf(stored, firstAt + warmUpMs), received: latenessOf(late, firstAt + warmUpMs) };
  } finally {
    await connection.close();
  }
}

async function forEach(count: number, write: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = (next += 1); n <= count; n = next += 1) await write(n - 1);
  };
  await Promise.all(Array.from({ length: WRITTEN_AT_ONCE }, worker));
}
