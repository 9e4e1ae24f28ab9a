import mongoose, { type Connection } from "mongoose";
import { ServiceBroker } from "moleculer";
import { brokerOptions } from "../../../../moleculer.config.ts";
import { announcementsService } from "../../../../services/announcements/announcements.service.ts";
import { calendarEventsService } from "../../../../services/calendar-events/calendar-events.service.ts";
import { createAnnouncement } from "../../../../services/contracts/announcements.contract.ts";
import { createEvent } from "../../../../services/contracts/calendar-events.contract.ts";
import { STANDARD_TIMING } from "../../../../services/dispatch/protocol/timing.ts";
import { freePort } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { startNats } from "../../../../services/launch/embedded/embedded-nats.ts";
import { Replica } from "../../cluster/replica.ts";
import { type CpuShare, cpuShare } from "../requests/cpu-share.ts";
import { Launched } from "../../../real-parts/launched.ts";
import { until } from "../../../real-parts/until.ts";
import type { Arena, Contender, DuePost } from "./contender.ts";

const EVENT_MS = 3_600_000;
const PLANNED_MS = 120_000;
const AT_ONCE = 32;

interface ClaimedRow {
  readonly dueAt: Date;
  readonly wakeAt: Date;
}

/** The whole service in one process, as `npm start` runs it, posting to the chat server as to Discord. */
export async function startGuildcal(arena: Arena): Promise<Contender> {
  const launched = await launch(arena);
  return contender("guildcal", arena, [launched], () => launched.end("SIGKILL"));
}

/** Of a CPU, for each replica of dispatch: two of them, the owners and the database have two to share. */
const SHARE = 0.2;

/**
 * A process a service, as on Kubernetes, with so many replicas of dispatch, each with a share of a CPU once it has planned:
 * what is measured is these alone.
 */
export function startOverNats(replicas: number): (arena: Arena) => Promise<Contender> {
  return async (arena) => {
    const nats = await startNats();
    const env = { ...(await environmentOf(arena)), NATS_URL: nats.url };
    const start = async (service: string, name = "r1") => {
      const replica = new Replica({ service, name, env, probePort: await freePort(0), port: await freePort(0) });
      await replica.becameReady();
      return replica;
    };
    const owners = [await start("announcements"), await start("guild-settings"), await start("calendar-events")];
    const dispatch: Replica[] = [];
    const shares: CpuShare[] = [];
    for (let at = 1; at <= replicas; at += 1) {
      const replica = await start("dispatch", `r${at}`);
      shares.push(await cpuShare(`guildcal-bench-${replica.pid}`, SHARE));
      dispatch.push(replica);
    }
    const stop = async () => {
      for (const each of [...dispatch, ...owners]) await each.kill();
      for (const share of shares) await share.remove();
      await nats.stop();
    };
    const plain = await contender(`${replicas} dispatch`, arena, dispatch, stop);
    return {
      ...plain,
      async takeIn(posts) {
        await plain.takeIn(posts);
        for (const [at, { pid }] of dispatch.entries()) await shares[at]?.add(pid);
      },
    };
  };
}

async function contender(
  name: string,
  arena: Arena,
  processes: readonly { readonly pid: number }[],
  stop: () => Promise<unknown>,
): Promise<Contender> {
  const connection = await mongoose.createConnection(arena.mongoUrl).asPromise();
  return {
    name,
    pids: processes.map(({ pid }) => pid),
    async takeIn(posts) {
      await makeTruth(arena, posts);
      await plannedAre(connection, posts.length);
    },
    async claims() {
      const sent = { state: "sent", attempts: 1, sink: "discord" };
      const rows = await connection.collection<ClaimedRow>("posts").find(sent).toArray();
      // Nothing that was sent at once moves `wakeAt`: it is the end of the claim's lease.
      return rows.map(({ dueAt, wakeAt }) => ({
        dueAt: dueAt.getTime(),
        claimedAt: wakeAt.getTime() - STANDARD_TIMING.leaseMs,
      }));
    },
    async stop() {
      await connection.close();
      await stop();
    },
  };
}

export async function launch(arena: Arena): Promise<Launched> {
  const launched = new Launched("all", await environmentOf(arena));
  await launched.printed(/guildcal is ready/);
  return launched;
}

async function environmentOf({ mongoUrl, chatUrl, token }: Arena): Promise<Record<string, string>> {
  const sink = { SINKS: "discord", DISCORD_TOKEN: token, DISCORD_API_URL: chatUrl };
  const env = { MONGO_URL: mongoUrl, PORT: String(await freePort(0)), PROBE_PORT: "0", LOG_LEVEL: "error" };
  const API_KEY = "a-key-of-twenty-characters-or-more";
  return { ...env, ...sink, DISCORD_REQUESTS_PER_SECOND: "10000", API_KEY };
}

/** Resolves when so many posts stand in the plan. */
export async function plannedAre(connection: Connection, count: number): Promise<void> {
  const planned = () => connection.collection("posts").countDocuments({ state: "planned", sink: "discord" });
  await until(async () => (await planned()) >= count, `${count} posts are planned`, PLANNED_MS);
}

/** An event for each post and an announcement at its start for each guild, written by the services that own them. */
export async function makeTruth({ mongoUrl }: Pick<Arena, "mongoUrl">, posts: readonly DuePost[]): Promise<void> {
  const broker = new ServiceBroker(brokerOptions({ nodeId: "bench.truth", natsUrl: undefined, logLevel: "fatal" }));
  broker.createService(calendarEventsService({ mongoUrl }));
  broker.createService(announcementsService({ mongoUrl }));
  await broker.start();
  try {
    const rule = { type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    const guilds = [...new Set(posts.map(({ guildId }) => guildId))];
    await inTurns(guilds, (guildId) => broker.call(createAnnouncement.name, { guildId, channel: guildId, ...rule }));
    await inTurns(posts, ({ guildId, title, dueAt }) => {
      const times = { startsAt: dueAt, endsAt: dueAt + EVENT_MS };
      return broker.call(createEvent.name, { guildId, calendarNumber: 1, name: title, ...times });
    });
  } finally {
    await broker.stop();
  }
}

async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items].toReversed();
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
