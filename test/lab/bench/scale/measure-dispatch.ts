import type { Connection } from "mongoose";
import type { EpochMs } from "../../../../services/contracts/ids.ts";
import {
  type Bus,
  eventMark,
  guildsPlannedAfter,
  makeGuildsDue,
  measurePhase,
  plannedGuilds,
  startServices,
} from "./dispatch-run.ts";
import { printPhase } from "./figures-of-scale.ts";
import type { Subject } from "./request-costs.ts";
import { connectTo } from "./scale-database.ts";
import { isAnnouncing } from "./synthetic-guilds.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The catch-up after an hour must fit into a replica of this size. */
const MAX_PEAK_MIB = 512;
const WRITES_AT_ONCE = 5_000;

export interface DispatchOptions {
  /** Limit of each phase. */
  readonly minutes: number;
  /** The time of all writes of the filled rows. */
  readonly writtenAt: EpochMs;
  /** Number of events that change while dispatch is stopped. */
  readonly changes: number;
}

/**
 * Measures the start on data without marks, the sweep of all guilds, and the catch-up after an hour without dispatch. Returns
 * whether the memory stayed within its bound.
 */
export async function measureDispatch(
  { guilds, mongoUrl }: Subject,
  bus: Bus,
  { minutes, writtenAt, changes }: DispatchOptions,
): Promise<boolean> {
  const connection = await connectTo(mongoUrl);
  const announcing = Array.from({ length: guilds }, (_, at) => at + 1).filter(isAnnouncing).length;
  const services = await startServices(mongoUrl, bus);
  try {
    const start = await measurePhase(services, {
      total: announcing,
      doneNow: () => plannedGuilds(connection),
      minutes,
    });
    printPhase(`${guilds} guilds, start without marks`, start, "guild");
    const read = { total: 1, doneNow: async () => Number((await eventMark(connection)) >= writtenAt), minutes };
    await measurePhase(services, read);
    const planned = await plannedGuilds(connection);
    const now = await makeGuildsDue(connection);
    const doneNow = () => guildsPlannedAfter(connection, now);
    const sweep = await measurePhase(services, { total: planned, doneNow, minutes });
    printPhase(`${guilds} guilds, sweep`, sweep, "guild");
  } finally {
    await services.stop();
  }
  try {
    return await catchUp(connection, { guilds, mongoUrl }, bus, { minutes, writtenAt, changes });
  } finally {
    await connection.close();
  }
}

async function catchUp(
  connection: Connection,
  { guilds, mongoUrl }: Subject,
  bus: Bus,
  { minutes, changes }: DispatchOptions,
): Promise<boolean> {
  const { changed, last } = await changeEvents(connection, changes);
  const services = await startServices(mongoUrl, bus);
  try {
    const events = connection.collection("calendar_events");
    const doneNow = async () => {
      const changedAt = { $gt: new Date(last - HOUR), $lte: new Date(await eventMark(connection)) };
      return events.countDocuments({ changedAt });
    };
    const phase = await measurePhase(services, { total: changed, doneNow, minutes });
    printPhase(`${guilds} guilds, catch-up after an hour`, phase, "change");
    return phase.peakMiB <= MAX_PEAK_MIB;
  } finally {
    await services.stop();
  }
}

/** Gives events a new revision, evenly over the last hour. */
async function changeEvents(connection: Connection, changes: number): Promise<{ changed: number; last: EpochMs }> {
  const last = Date.now() - MINUTE;
  const step = (HOUR - MINUTE) / changes;
  const events = connection.collection<{ readonly _id: string }>("calendar_events");
  let changed = 0;
  let writes: object[] = [];
  const flush = async () => {
    if (writes.length > 0) await events.bulkWrite(writes as never, { ordered: false, writeConcern: { w: 1 } });
    writes = [];
  };
  for await (const { _id } of events.find({ revision: 1 }, { projection: { _id: 1 } }).limit(changes)) {
    changed += 1;
    const changedAt = new Date(Math.floor(last - (changes - changed) * step));
    writes.push({ updateOne: { filter: { _id }, update: { $set: { changedAt, revision: 2 } } } });
    if (writes.length >= WRITES_AT_ONCE) await flush();
  }
  await flush();
  return { changed, last };
}
