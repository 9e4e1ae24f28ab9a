import mongoose, { type Connection } from "mongoose";
import { listPostHistory, type SettledPost } from "../../../../services/contracts/dispatch.contract.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import type { ChatServer } from "../../../harness/chat-server.ts";
import { until } from "../../../harness/until.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../cluster.ts";
import { demandedPosts } from "./demanded-posts.ts";
import type { DemandsSize } from "./demands-rows.ts";
import { untilInstant } from "../faults/fault.ts";
import { type DemandsVerdict, type GuildEvidence, verdictOnDemands } from "./demands-verdict.ts";
import { killProcesses } from "./kill-processes.ts";
import { Recorder } from "./recorder.ts";
import type { Outage } from "./records.ts";
import { newWrittenGuild, type WrittenGuild } from "./written-guild.ts";

export interface DemandsOutcome extends DemandsVerdict {
  readonly kills: number;
  readonly seconds: number;
}

/** Time for creating the guilds before the first of their events starts; a slow start of the cluster adds to it. */
const LEAD_MS = 10_000;
const LENGTH_MS = 150_000;
/** Time before the end in which nothing is killed any more. */
const UNKILLED_MS = 10_000;
/** Time after the last due instant before the first judgement, in which a post of a killed replica would be sent twice. */
const SETTLE_MS = 10_000;
/** Time without faults within which every message must show the last state: a failed edit may wait for a minute. */
const QUIET_MS = 90_000;
const POLL_MS = 2_000;

const running = new Set<Cluster>();

/** Stops all clusters, so that a signal leaves no process behind. */
export async function stopDemands(): Promise<void> {
  await Promise.all([...running].map((cluster) => cluster.stop()));
}

/**
 * Writes the guilds while processes are killed, and judges when nothing is missing, or the quiet time is over.
 *
 * @param print - Gets a line for each kill.
 */
export async function runDemands(
  size: DemandsSize,
  setup: ClusterOptions,
  print: (line: string) => void,
): Promise<DemandsOutcome> {
  const beganAt = performance.now();
  const cluster = await startCluster(setup);
  const leadMs = LEAD_MS + Math.round(performance.now() - beganAt);
  running.add(cluster);
  try {
    const database = await mongoose.createConnection(cluster.database.url).asPromise();
    try {
      return await runIn(cluster, database, size, leadMs, print);
    } finally {
      await database.close();
    }
  } finally {
    running.delete(cluster);
    await cluster.stop();
  }
}

async function runIn(
  cluster: Cluster,
  database: Connection,
  { guilds: count, scale, isKilled }: DemandsSize,
  leadMs: number,
  print: (line: string) => void,
): Promise<DemandsOutcome> {
  const beganAt = performance.now();
  const recorder = new Recorder(cluster.broker, database);
  const from = Date.now() + leadMs;
  const endAt = from + LENGTH_MS * scale;
  const guilds = await Promise.all(
    Array.from({ length: count }, (_, at) => newWrittenGuild(recorder, cluster.chat, at + 1, { from, scale })),
  );
  if (Date.now() > from + LEAD_MS) throw new Error("the guilds were created too late");
  const outages: Outage[] = [];
  const killing = isKilled ? killProcesses(cluster, database, endAt - UNKILLED_MS, outages, print) : Promise.resolve(0);
  const writing = Promise.all(guilds.map((guild) => guild.write()));
  const [kills] = await Promise.all([killing, writing]);
  cluster.chat.calm();
  await untilInstant(endAt + SETTLE_MS);
  let verdict: DemandsVerdict | undefined;
  const isSettled = async () => {
    verdict = await judge(cluster, guilds, outages, endAt).catch(() => verdict);
    return verdict?.broken.length === 0;
  };
  await until(isSettled, "nothing is missing", QUIET_MS, POLL_MS).catch(() => undefined);
  if (verdict === undefined) throw new Error("the history could not be read");
  return { ...verdict, kills, seconds: Math.round((performance.now() - beganAt) / 1_000) };
}

async function judge(
  { broker, chat }: Cluster,
  guilds: readonly WrittenGuild[],
  outages: readonly Outage[],
  endAt: number,
): Promise<DemandsVerdict> {
  const evidence: GuildEvidence[] = [];
  for (const { records, deleted } of guilds) {
    const params = { guildId: records.guildId as GuildId, amount: -1 };
    const history = await broker.call<SettledPost[], never>(listPostHistory.name, params as never);
    const channels = new Set(records.announcements.map(({ channel }) => channel));
    const accepted = [...chat.messages(), ...chat.deletedByBot()].filter(({ channel }) => channels.has(channel));
    const messages = [...accepted, ...deleted];
    const editsWhenGone = repeatedEdits(chat, records.removed);
    evidence.push({
      guild: records,
      demands: demandedPosts(records, outages),
      history,
      messages,
      editsWhenGone,
      endAt,
    });
  }
  return verdictOnDemands(evidence);
}

/** The requests that edit deleted messages, without the first of each message. */
function repeatedEdits({ requests }: ChatServer, removed: ReadonlySet<string>): ReadonlyMap<string, number> {
  const edits = requests.filter(({ method, status }) => method === "PATCH" && status === 404);
  const groups = Map.groupBy(edits, ({ path }) => path.slice(path.lastIndexOf("/") + 1));
  return new Map([...groups].filter(([id]) => removed.has(id)).map(([id, all]) => [id, all.length - 1]));
}
