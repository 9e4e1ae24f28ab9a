import { readFile } from "node:fs/promises";
import mongoose, { type Connection } from "mongoose";
import { freePort } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { startNats } from "../../../../services/launch/embedded/embedded-nats.ts";
import type { EpochMs } from "../../../../services/contracts/ids.ts";
import { freePorts } from "../../../harness/free-ports.ts";
import { until } from "../../../harness/until.ts";
import { Replica } from "../../cluster/replica.ts";
import type { CpuShare } from "../requests/cpu-share.ts";
import { processorMsOf } from "../processor-time.ts";

const OWNERS = ["guild-settings", "announcements", "calendar-events"] as const;
const LOOK_EVERY_MS = 500;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A NATS server, and the number of bytes that it has received and sent. */
export interface Bus {
  readonly url: string;
  readonly bytes: () => Promise<number>;
  stop(): Promise<void>;
}

export async function startBus(): Promise<Bus> {
  const monitor = await freePort(0);
  const nats = await startNats(0, ["--http_port", String(monitor)]);
  return {
    url: nats.url,
    async bytes() {
      const response = await fetch(`http://127.0.0.1:${monitor}/varz`);
      const { in_bytes, out_bytes } = (await response.json()) as {
        readonly in_bytes: number;
        readonly out_bytes: number;
      };
      return in_bytes + out_bytes;
    },
    stop: () => nats.stop(),
  };
}

/** The owners, and one or more replicas of dispatch, each in a process. */
export interface RunningServices {
  readonly bus: Bus;
  readonly mongodPid: number;
  readonly owners: readonly Replica[];
  readonly dispatch: readonly Replica[];
  stop(): Promise<void>;
}

/** @param share - Of each replica of dispatch, of a CPU; without one they are not limited. */
export async function startServices(
  mongoUrl: string,
  bus: Bus,
  { replicas = 1, share }: { readonly replicas?: number; readonly share?: (name: string) => Promise<CpuShare> } = {},
): Promise<RunningServices> {
  const env = { MONGO_URL: mongoUrl, NATS_URL: bus.url, LOG_LEVEL: "error" };
  async function start(service: string, name: string): Promise<Replica> {
    const [probePort, port] = (await freePorts(2)) as [number, number];
    return new Replica({ service, name, env, probePort, port });
  }
  const mongodPid = await pidOfMongod(mongoUrl);
  const owners = await Promise.all(OWNERS.map((service) => start(service, service)));
  await needReady(owners);
  const names = Array.from({ length: replicas }, (_, at) => `d${at}`);
  const dispatch = await Promise.all(names.map((name) => start("dispatch", name)));
  const shares = share === undefined ? [] : await Promise.all(names.map(share));
  for (const [at, each] of shares.entries()) await each.add((dispatch[at] as Replica).pid);
  await needReady(dispatch);
  return {
    bus,
    mongodPid,
    owners,
    dispatch,
    async stop() {
      await Promise.all([...dispatch, ...owners].map((each) => each.kill()));
      for (const each of shares) await each.remove();
    },
  };
}

async function pidOfMongod(mongoUrl: string): Promise<number> {
  const connection = await mongoose.createConnection(mongoUrl).asPromise();
  const status = await connection.db?.admin().command({ serverStatus: 1 });
  await connection.close();
  return Number(status?.["pid"]);
}

async function needReady(replicas: readonly Replica[]): Promise<void> {
  const ready = await Promise.all(replicas.map((each) => each.becameReady()));
  const ended = replicas.find((_, at) => ready[at] === false);
  if (ended !== undefined) throw new Error(`${ended.service} has ended: ${ended.output}`);
}

/** What a phase of dispatch took. */
export interface Phase {
  readonly seconds: number;
  /** Whether the phase was complete before its limit. */
  readonly isComplete: boolean;
  /** Amount of work, in guilds or changes, and how much of it was done. */
  readonly total: number;
  readonly done: number;
  /** Processor time in milliseconds. */
  readonly dispatchMs: number;
  readonly ownersMs: number;
  readonly databaseMs: number;
  /** Bytes that the NATS server received and sent. */
  readonly busBytes: number;
  /** The largest resident memory of a replica of dispatch since its start, in MiB. */
  readonly peakMiB: number;
}

/** Waits until the work is done, and measures it. */
export async function measurePhase(
  services: RunningServices,
  {
    total,
    doneNow,
    minutes,
  }: { readonly total: number; readonly doneNow: () => Promise<number>; readonly minutes: number },
): Promise<Phase> {
  const [dispatchBefore, ownersBefore, databaseBefore] = await usage(services);
  const busBefore = await services.bus.bytes();
  const beganAt = performance.now();
  const end = beganAt + minutes * MINUTE;
  const doneBefore = await doneNow();
  let done = doneBefore;
  const isOver = async () => (done = await doneNow()) >= total || performance.now() > end;
  await until(isOver, "the end of the phase", minutes * MINUTE + 10 * MINUTE, LOOK_EVERY_MS);
  const [dispatchAfter, ownersAfter, databaseAfter] = await usage(services);
  return {
    seconds: (performance.now() - beganAt) / 1_000,
    isComplete: done >= total,
    total,
    done: done - doneBefore,
    dispatchMs: dispatchAfter - dispatchBefore,
    ownersMs: ownersAfter - ownersBefore,
    databaseMs: databaseAfter - databaseBefore,
    busBytes: (await services.bus.bytes()) - busBefore,
    peakMiB: Math.max(...(await Promise.all(services.dispatch.map(({ pid }) => peakMiBOf(pid))))),
  };
}

async function usage({ dispatch, owners, mongodPid }: RunningServices): Promise<readonly [number, number, number]> {
  const sumOf = async (replicas: readonly Pick<Replica, "pid">[]) =>
    (await Promise.all(replicas.map(({ pid }) => processorMsOf(pid)))).reduce((one, other) => one + other, 0);
  return [await sumOf(dispatch), await sumOf(owners), await sumOf([{ pid: mongodPid }])];
}

async function peakMiBOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** The number of guilds with a plan. */
export function plannedGuilds(connection: Connection): Promise<number> {
  return connection.collection("guild_plans").estimatedDocumentCount();
}

/** The next plan of all guilds has been due for an hour. Returns the present instant. */
export async function makeGuildsDue(connection: Connection): Promise<EpochMs> {
  const now = Date.now();
  await connection.collection("guild_plans").updateMany({}, { $set: { replanAt: new Date(now - HOUR) } });
  return now;
}

/** The number of guilds whose next plan is later than an instant. */
export function guildsPlannedAfter(connection: Connection, at: EpochMs): Promise<number> {
  return connection.collection("guild_plans").countDocuments({ replanAt: { $gt: new Date(at) } });
}

/** How far the changes of events are planned: the time of the last planned change; 0 before the first page. */
export async function eventMark(connection: Connection): Promise<EpochMs> {
  const marks = connection.collection<{ readonly _id: string; readonly at: EpochMs }>("feed_marks");
  return (await marks.findOne({ _id: "calendar-events" }))?.at ?? 0;
}

/** The lowest mark of all feeds; 0 before each feed has one. */
export async function lowestMark(connection: Connection): Promise<EpochMs> {
  const marks = await connection.collection<{ readonly at: EpochMs }>("feed_marks").find().toArray();
  return marks.length < OWNERS.length ? 0 : Math.min(...marks.map(({ at }) => at));
}
