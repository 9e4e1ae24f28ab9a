import type mongoose from "mongoose";
import { singleEventIndexFields } from "../../../../services/calendar-events/window-index/entries.ts";
import { until } from "../../../harness/until.ts";
import type { HostileRow, Stage } from "../row.ts";
import { type SeparateProcesses, startProcesses } from "../separate-processes.ts";

const CHANGES = 2_000_000;
const GUILDS = 20_000;
/** Every hundredth guild has an announcement. Each guild has a hundred of the changed events, which need a post each. */
const ANNOUNCING_EVERY = 100;
const BATCH = 10_000;
/** The changes are spread over one hour, which ended two minutes ago. */
const CHANGED_MS_AGO = 3_600_000;
const UNCHANGED_SINCE_MS = 120_000;
const HOUR_MS = 3_600_000;
const APART_MS = 1_200_000;
const CAUGHT_UP_WITHIN_MS = 300_000;
/** Time until a replica of dispatch is ready on a busy machine. */
const STARTS_WITHIN_MS = 10_000;

type Row = mongoose.mongo.Document & { readonly _id: string };
type Rows = mongoose.mongo.Collection<Row>;

let processes: SeparateProcesses;
let lastChangedAt = 0;

/** Dispatch starts with a mark that is two million changes old. */
export const BACKLOG: HostileRow = {
  name: "two million events have changed while dispatch was away",
  attackMs: 90_000,
  postsAfterMs: STARTS_WITHIN_MS,
  async start(env) {
    processes = await startProcesses(env);
    return processes.target;
  },
  prepare: fill,
  async attack() {
    await processes.killDispatch();
    await setMark(lastChangedAt - CHANGED_MS_AGO);
    await processes.startDispatch();
  },
  async check() {
    const isCaughtUp = async () => (await markOf("calendar-events")) >= lastChangedAt;
    const late = await until(isCaughtUp, "the mark of the events' feed", CAUGHT_UP_WITHIN_MS, 1_000).then(
      () => [],
      (error: unknown) => [String(error)],
    );
    const open = await processes.database.collection("posts").countDocuments({ state: "planned" });
    const due = CHANGES / ANNOUNCING_EVERY;
    return [...late, ...(open >= due ? [] : [`${open} posts are planned, not ${due}`])];
  },
  control: {
    name: "the limits on pages of a feed in flight, and on cached changes",
    without: [
      "a change that cannot be read again is removed from the cache of changes",
      "the cached changes are limited",
      "the guilds of a feed that are planned concurrently are limited",
      "the pages of a feed that wait to be planned are limited",
    ],
  },
};

/** Copies a stored event directly in the database while dispatch is down. */
async function fill(stage: Stage): Promise<void> {
  const announcing = Array.from({ length: GUILDS / ANNOUNCING_EVERY }, (_, at) => guildOf(at * ANNOUNCING_EVERY));
  const rule = { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
  await Promise.all(announcing.map((guild) => stage.ask("/v1/announcement/create", { guild_id: guild, ...rule })));
  await until(async () => (await markOf("announcements")) > 0, "a first mark");
  await processes.killDispatch();
  const rows = processes.database.collection<Row>("calendar_events");
  const pattern = await storedEvent(stage, rows);
  lastChangedAt = Date.now() - UNCHANGED_SINCE_MS;
  for (let from = 0; from < CHANGES; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at) => rowLike(pattern, from + at));
    await rows.insertMany(batch, { ordered: false, writeConcern: { w: 1 } });
  }
  await processes.restartMongod();
  await until(async () => (await markOf("announcements").catch(() => 0)) > 0, "MongoDB is back");
  await setMark(Date.now());
  await processes.startDispatch();
  const settings = JSON.stringify({ guild_id: guildOf(0) });
  const isActionAvailable = async () =>
    (await stage.post("/v2/guild/settings/get", stage.operatorKey, settings)).status === 200;
  await until(isActionAvailable, "every service has reconnected to MongoDB");
}

async function storedEvent(stage: Stage, rows: Rows): Promise<Row> {
  const start = Date.now() + HOUR_MS;
  const event = { guild_id: "2", calendar_number: 1, epoch_start: start, epoch_end: start + HOUR_MS };
  const { id } = await stage.ask<{ id: string }>("/v2/events/create", event);
  return (await rows.findOne({ _id: id })) as Row;
}

/** Copies the row. All events of a guild are within the planning horizon. */
function rowLike(pattern: Row, at: number): Row {
  const shift = Math.floor(at / GUILDS) * APART_MS;
  const times = { startsAt: Number(pattern["startsAt"]) + shift, endsAt: Number(pattern["endsAt"]) + shift };
  return {
    ...pattern,
    _id: `e${at.toString(32).padStart(25, "0")}`,
    guildId: guildOf(at % GUILDS),
    ...times,
    ...singleEventIndexFields(times),
    changedAt: new Date(lastChangedAt - CHANGED_MS_AGO + Math.ceil(((at + 1) / CHANGES) * CHANGED_MS_AGO)),
  };
}

function guildOf(at: number): string {
  return String(5_000_000 + at);
}

async function setMark(at: number): Promise<void> {
  const marks = processes.database.collection<Row>("feed_marks");
  await marks.replaceOne({ _id: "calendar-events" }, { at, id: "" }, { upsert: true });
}

async function markOf(feed: string): Promise<number> {
  const mark = await processes.database.collection<Row>("feed_marks").findOne({ _id: feed });
  return Number(mark?.["at"] ?? 0);
}
