import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose, { type Connection } from "mongoose";
import { guildcalClient, type GuildcalClient } from "../../../../clients/http/src/index.ts";
import { startMongod } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { removeFolder } from "../../../harness/remove-folder.ts";
import { type StartedProcesses, startProcesses } from "../../../harness/started-processes.ts";
import { until } from "../../../harness/until.ts";
import { WEBHOOKS_KEY } from "../../../harness/webhooks-key.ts";
import { guardsNamed } from "../../mutations/guards.ts";
import { optionsWithout } from "../../mutations/remove-guard.ts";
import type { ChangesSize } from "./changes-row.ts";
import { endWebhook, type Guild, newGuild } from "./changed-guild.ts";
import {
  deliveriesAfterEnd,
  lostWrites,
  problemsOfDeliveries,
  problemsOfReading,
  sentencesOf,
  type StoredRecords,
} from "./changes-verdict.ts";
import { type DeliveryReceiver, startDeliveryReceiver } from "./delivery-receiver.ts";
import { killService } from "./kill-service.ts";
import { KilledReader } from "./killed-reader.ts";
import { writeLate } from "./late-writes.ts";
import { countOpenPosts, storedRecords } from "./stored-records.ts";
import { Acknowledged, writeChanges } from "./write-changes.ts";

export interface ChangesOutcome {
  readonly kills: number;
  readonly writes: number;
  /** Revisions that the reader has received, by stream and by list. */
  readonly streamed: number;
  readonly listed: number;
  /** Requests that the receiver of the webhooks got. */
  readonly requests: number;
  /** Records of all guilds at the end, deleted ones included. */
  readonly records: number;
  readonly seconds: number;
  /** A sentence for each promise that was broken. */
  readonly broken: readonly string[];
}

interface Installation {
  readonly service: StartedProcesses;
  readonly database: Connection;
  readonly receiver: DeliveryReceiver;
  readonly client: GuildcalClient;
  readonly guilds: readonly Guild[];
}

/** The processes to kill, one after the other; nats-server is found by its option. */
const VICTIMS = [
  "calendar-events",
  "reader",
  "api",
  "webhooks",
  "--addr",
  "announcements",
  "dispatch",
  "guild-settings",
];
/** Writers of a guild, so that a write may be stored after a later one. The gateway serves four requests of a guild at once. */
const WRITERS_PER_GUILD = 4;
/** Share of the writes after which the ending webhooks end. */
const ENDS_AFTER = 0.1;
/** Share of the writes after which late writes begin. */
const LATE_FROM = 0.2;
const POSTS_WITHIN_MS = 180_000;
/**
 * Time without another page or request after which nothing more is expected: several times the minute in which a webhook may
 * have spent its 600 requests, the lease of a queue, and the pause of a stream.
 */
const STALLED_MS = 150_000;
const PEPPER = "pepper-of-the-chaos-of-changes-0123456789abcdef";

const stops = new Set<() => Promise<void>>();

/** Stops everything that runs, so that a signal leaves no process behind. */
export async function stopChanges(): Promise<void> {
  await Promise.all([...stops].map((stop) => stop()));
}

/**
 * Writes the guilds while processes are killed, and compares what was read and delivered with the database.
 *
 * @param print - Gets a line for each kill and each later step: the time, the writes, and the numbers of what was read.
 */
export async function runChanges(
  size: ChangesSize,
  without: readonly string[],
  print: (line: string) => void,
): Promise<ChangesOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "guildcal-changes-"));
  const ends: (() => Promise<unknown>)[] = [() => removeFolder(directory)];
  const stop = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  stops.add(stop);
  try {
    const mongod = await startMongod(directory);
    ends.push(() => mongod.stop());
    const database = await mongoose.createConnection(mongod.url).asPromise();
    ends.push(() => database.close());
    const receiver = await startDeliveryReceiver();
    ends.push(() => receiver.close());
    const service = await startProcesses({
      MONGO_URL: mongod.url,
      API_KEY_PEPPER: PEPPER,
      WEBHOOKS_KEY,
      WEBHOOKS_ALLOW_PRIVATE: "yes",
      LOG_LEVEL: "error",
      NODE_OPTIONS: optionsWithout(guardsNamed(without)),
    });
    ends.push(() => service.stop());
    const client = guildcalClient({
      baseUrl: service.baseUrl,
      key: service.key,
      timeoutMs: 300_000,
      maxAttempts: 1_000,
    });
    const guilds: Guild[] = [];
    for (let at = 0; at < size.guilds; at += 1) guilds.push(await newGuild(client, receiver, at));
    const reader = new KilledReader(service.baseUrl, guilds);
    ends.push(() => reader.stop());
    return await writeAndJudge({ service, database, receiver, client, guilds }, reader, size, print);
  } finally {
    stops.delete(stop);
    await stop();
  }
}

async function writeAndJudge(
  installation: Installation,
  reader: KilledReader,
  { writes, kills: plannedKills }: ChangesSize,
  print: (line: string) => void,
): Promise<ChangesOutcome> {
  const { service, client, guilds } = installation;
  const beganAt = performance.now();
  const acknowledged = new Map(guilds.map(({ guildId }) => [guildId, new Acknowledged()]));
  const written = () => [...acknowledged.values()].reduce((sum, { count }) => sum + count, 0);
  const perWriter = Math.ceil(writes / guilds.length / WRITERS_PER_GUILD);
  const failed = new AbortController();
  const writing = Promise.all(
    guilds.flatMap((guild) =>
      Array.from({ length: WRITERS_PER_GUILD }, () =>
        writeChanges(client, guild, perWriter, acknowledged.get(guild.guildId) as Acknowledged),
      ),
    ),
  );
  writing.catch(() => failed.abort());
  const reach = (count: number) =>
    until(() => failed.signal.aborted || written() >= count, `${count} writes`, 3_600_000, 20);
  const late = reach(LATE_FROM * writes).then(() =>
    Promise.all(guilds.map(({ lateEvents }) => writeLate(installation.database, lateEvents))),
  );
  const ending = reach(ENDS_AFTER * writes).then(() => Promise.all(guilds.map((guild) => endWebhook(client, guild))));

  const progress = (step: string) => {
    const { streamed, listed, requests } = countsOf(installation, reader);
    const seconds = Math.round((performance.now() - beganAt) / 1_000);
    print(
      `  ${seconds} s, ${written()} writes, ${streamed} by stream, ${listed} by list, ${requests} requests: ${step}\n`,
    );
  };
  let kills = 0;
  const kill = async () => {
    const name = VICTIMS[kills % VICTIMS.length] as string;
    if (name === "reader") await reader.kill();
    else await until(() => killService(service.pid, name), `${name} is killed`);
    kills += 1;
    progress(`${name === "--addr" ? "nats-server" : name} was killed`);
  };
  for (let n = 1; n <= plannedKills; n += 1) {
    await reach((n * writes) / (plannedKills + 1));
    await kill();
  }
  await Promise.all([writing, ending, late]);
  progress("the last write is acknowledged");
  // Each process once more, while the reader and the webhooks are behind.
  for (let n = 0; n < VICTIMS.length; n += 1) await kill();

  const broken = await settledProblems(installation, reader, acknowledged);
  const { streamed, listed, requests } = countsOf(installation, reader);
  const records = (await allStored(installation)).values().reduce((sum, { size }) => sum + size, 0);
  const seconds = Math.round((performance.now() - beganAt) / 1_000);
  return { kills, writes: written(), streamed, listed, requests, records, seconds, broken };
}

/** Waits until nothing is missing, and returns what is broken then. */
async function settledProblems(
  installation: Installation,
  reader: KilledReader,
  acknowledged: ReadonlyMap<string, Acknowledged>,
): Promise<string[]> {
  const { database, guilds } = installation;
  await until(async () => (await countOpenPosts(database)) === 0, "every post has its outcome", POSTS_WITHIN_MS, 500);
  const stored = await allStored(installation);
  const problems = () => problemsIn(installation, reader, stored);
  let [arrived, at] = [-1, 0];
  const isOver = () => {
    const { streamed, listed, requests } = countsOf(installation, reader);
    const sum = streamed + listed + requests;
    if (sum !== arrived) [arrived, at] = [sum, performance.now()];
    return performance.now() - at > STALLED_MS || problems().every((each) => !each.includes("missing"));
  };
  await until(isOver, "everything is read and delivered, or nothing arrives", 3_600_000, 2_000);
  const lost = guilds.map(({ guildId }) =>
    lostWrites(stored.get(guildId) as StoredRecords, (acknowledged.get(guildId) as Acknowledged).writes),
  );
  return [
    ...problems(),
    ...sentencesOf(
      "in the database",
      lost.filter(Boolean).map((count) => ({ lost: count })),
    ),
  ];
}

async function allStored({ database, guilds }: Installation): Promise<ReadonlyMap<string, StoredRecords>> {
  const all = new Map<string, StoredRecords>();
  for (const { guildId } of guilds) all.set(guildId, await storedRecords(database, guildId));
  return all;
}

function problemsIn(
  { guilds, receiver }: Installation,
  reader: KilledReader,
  stored: ReadonlyMap<string, StoredRecords>,
): string[] {
  const of = (guildId: string) => stored.get(guildId) as StoredRecords;
  const read = (way: "stream" | "list") =>
    guilds.map(({ guildId }) => problemsOfReading(of(guildId), reader.seen(guildId, way)));
  const delivered = guilds.flatMap(({ guildId, stays, ends, endedAt }) => [
    problemsOfDeliveries(of(guildId), receiver.seen(stays)),
    deliveriesAfterEnd(receiver.seen(ends), endedAt),
  ]);
  return [
    ...sentencesOf("in the stream", read("stream")),
    ...sentencesOf("in the list", read("list")),
    ...sentencesOf("at the webhooks", delivered),
  ];
}

function countsOf({ guilds, receiver }: Installation, reader: KilledReader) {
  const sum = (count: (guild: Guild) => number) => guilds.reduce((total, guild) => total + count(guild), 0);
  return {
    streamed: sum(({ guildId }) => reader.seen(guildId, "stream").length),
    listed: sum(({ guildId }) => reader.seen(guildId, "list").length),
    requests: sum(({ stays, ends }) => receiver.seen(stays).length + receiver.seen(ends).length),
  };
}
