import { setTimeout as pause } from "node:timers/promises";
import { freeze } from "../../../harness/freeze.ts";
import { mongodUnder } from "../mongod-under.ts";
import type { HostileRow, Stage } from "../row.ts";

const GUILD = "3202";
const SENDERS = 64;
/** Number of requests in flight when MongoDB stops. */
const LATE = 20;

let eventId = "";

/** One key changes one event without a pause. Afterwards MongoDB stops while writes are in flight. */
export const LATE_WRITE: HostileRow = {
  name: "one key changes one event without a pause, and MongoDB hangs afterwards",
  attackMs: 15_000,
  async prepare(stage) {
    const { text } = await create(stage, stage.operatorKey, "changed");
    eventId = String((JSON.parse(text) as { id: unknown }).id);
  },
  async attack(stage, signal) {
    const key = await stage.createKey(GUILD);
    const body = JSON.stringify({ guild_id: GUILD, calendar_number: 1, event_id: eventId, name: "again" });
    const sender = async () => {
      while (!signal.aborted) await stage.post("/v2/events/update", key, body);
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
  },
  async check(stage) {
    const mongod = await mongodUnder(stage.target.pids());
    await create(stage, stage.operatorKey, "in time");
    await freeze(mongod);
    const outcomes = await Promise.all(Array.from({ length: LATE }, () => lateCreate(stage))).finally(() =>
      process.kill(mongod, "SIGCONT"),
    );
    const unknown = outcomes.filter(({ code }) => code === "OUTCOME_UNKNOWN");
    const unsettled = unknown.filter(({ retryAfter }) => !(retryAfter > 0));
    while ((await create(stage, stage.operatorKey, "afterwards")).status !== 200) await pause(100);
    const body = JSON.stringify({ guild_id: GUILD, calendar_number: 1, epoch_start: 0 });
    const { text } = await stage.post("/v2/events/list/date", stage.operatorKey, body);
    const names = (JSON.parse(text) as { events: { name: string }[] }).events.map(({ name }) => name);
    const late = names.filter((name) => name === "late").length;
    return [
      ...(unknown.length > 0 ? [] : ["no write got 503 OUTCOME_UNKNOWN"]),
      ...(unsettled.length === 0 ? [] : [`${unsettled.length} responses do not say when the write is settled`]),
      ...(late === 0 ? [] : [`${late} writes were done after their 503`]),
    ];
  },
  control: {
    name: "the deadline of a write in the database",
    without: ["a write that the database reads after its deadline changes nothing"],
  },
};

function eventOf(name: string): string {
  return JSON.stringify({ guild_id: GUILD, calendar_number: 1, epoch_start: 0, epoch_end: 1, name });
}

function create({ post }: Stage, key: string, name: string) {
  return post("/v2/events/create", key, eventOf(name));
}

/** A create that MongoDB reads too late; resolves when it is settled, according to its response. */
async function lateCreate({ target: { port }, operatorKey }: Stage): Promise<{ code: unknown; retryAfter: number }> {
  const headers = { authorization: operatorKey, "content-type": "application/json" };
  const request = { method: "POST", headers, body: eventOf("late") };
  const response = await fetch(`http://127.0.0.1:${port}/v2/events/create`, request);
  const { code } = (await response.json()) as { code?: unknown };
  const retryAfter = Number(response.headers.get("retry-after"));
  await pause(retryAfter * 1_000);
  return { code, retryAfter };
}
