import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { startMongod } from "../../../services/launch/embedded/embedded-mongod.ts";
import type { GuildId } from "../../../services/contracts/ids.ts";
import { openCalendar } from "../../calendar/filled-calendar.ts";
import { type NewEvent, twentyYears } from "../../calendar/many-events.ts";
import { until } from "../../real-parts/until.ts";
import { type Line, printLines } from "./line.ts";
import { startGuildcal, type Subject } from "./requests/subjects.ts";

/** `npm run bench:feed`: a calendar of 100 000 events as a feed, and one that is unchanged; ends with 1 when a bound is missed. */
const EVENTS = 100_000;
const [FULL, SMALL] = ["1", "2"] as GuildId[];
const MOST_MIB = 64;
const MOST_RATIO = 1.2;
const ROUNDS = 20;
const IN_A_ROUND = 200;
const DESCRIPTION = "Bring potions, a friend, and whatever else a raid of so many may need on a long night. ".repeat(3);

const dispatcher = new Agent({ connections: 1, pipelining: 1 });

function named(events: readonly NewEvent[]): NewEvent[] {
  return events.map((event, at) => ({ ...event, name: `Event ${at}`, description: DESCRIPTION }));
}

interface Served {
  readonly status: number;
  readonly bytes: number;
  readonly tag: string;
}

async function send({ port, key }: Subject, path: string, more: object = {}, onChunk = () => {}): Promise<Served> {
  const headers = { authorization: key, "content-type": "application/json" };
  const options = { method: "GET" as const, headers, dispatcher, ...more };
  const { statusCode: status, headers: answered, body } = await request(`http://127.0.0.1:${port}${path}`, options);
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    onChunk();
  }
  return { status, bytes, tag: String(answered["etag"]) };
}

async function newFeed(subject: Subject, guild_id: string | undefined): Promise<string> {
  const body = JSON.stringify({ guild_id, calendar_number: 1 });
  const url = `http://127.0.0.1:${subject.port}/v2/calendar/feeds/create`;
  const headers = { authorization: subject.key, "content-type": "application/json" };
  const answer = await request(url, { method: "POST", headers, body, dispatcher });
  return ((await answer.body.json()) as { readonly path: string }).path;
}

async function cpuMs(subject: Subject): Promise<number> {
  return Object.values(await subject.usage()).reduce((sum, usage) => sum + usage.cpuMs, 0);
}

async function rssMiB(subject: Subject): Promise<number> {
  const usage = Object.values(await subject.usage());
  return usage.reduce((sum, { rssBytes }) => sum + rssBytes, 0) / 2 ** 20;
}

async function benchMemory(subject: Subject): Promise<Line> {
  const [small, full] = [await newFeed(subject, SMALL), await newFeed(subject, FULL)];
  for (let warm = 0; warm < 200; warm += 1) await send(subject, small);
  const rest = await rssMiB(subject);
  let peak = 0;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) peak = Math.max(peak, await rssMiB(subject));
  })();
  const began = performance.now();
  const { status, bytes } = await send(subject, full);
  const seconds = (performance.now() - began) / 1000;
  isOver = true;
  await watch;
  const above = peak - rest;
  const size = `${EVENTS} events, ${(bytes / 2 ** 20).toFixed(0)} MiB in ${seconds.toFixed(1)} s (${status})`;
  return {
    held: status === 200 && above <= MOST_MIB,
    text: `feed of ${size}: rest ${rest.toFixed(0)} MiB, ${above.toFixed(0)} MiB above it at the most`,
  };
}

async function benchUnchanged(subject: Subject): Promise<Line> {
  const full = await newFeed(subject, FULL);
  let tag = "";
  await until(
    async () => {
      tag = (await send(subject, full, { method: "HEAD" })).tag;
      return !tag.includes("/at");
    },
    "the last write is long enough ago",
    30_000,
    500,
  );
  const body = JSON.stringify({ guild_id: FULL });
  const cpu = { unchanged: 0, settings: 0 };
  const took: Record<"unchanged" | "settings", number[]> = { unchanged: [], settings: [] };
  const ask = {
    settings: () => milliseconds(() => send(subject, "/v2/guild/settings/get", { method: "POST", body }), 200),
    unchanged: () => milliseconds(() => send(subject, full, { headers: { "if-none-match": tag } }), 304),
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const what of ["settings", "unchanged"] as const) {
      const before = await cpuMs(subject);
      for (let at = 0; at < IN_A_ROUND; at += 1) took[what].push(await ask[what]());
      cpu[what] += round < ROUNDS / 2 ? 0 : (await cpuMs(subject)) - before;
    }
  }
  const [unchanged, settings] = [median(took.unchanged), median(took.settings)];
  const ratio = unchanged / settings;
  const times = `304 ${unchanged.toFixed(2)} ms | settings get ${settings.toFixed(2)} ms | ${ratio.toFixed(2)}x`;
  return {
    held: ratio <= MOST_RATIO,
    text: `unchanged feed of ${EVENTS} events: ${times}; of the server's processor ${(cpu.unchanged / cpu.settings).toFixed(2)}x`,
  };
}

async function milliseconds(work: () => Promise<Served>, expected: number): Promise<number> {
  const began = performance.now();
  const { status } = await work();
  if (status !== expected) throw new Error(`answered ${status}`);
  return performance.now() - began;
}

/** Of the second half: the first warms up. */
function median(values: readonly number[]): number {
  const half = values.slice(values.length / 2).toSorted((one, other) => one - other);
  return half[Math.floor(half.length / 2)] ?? 0;
}

const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-"));
const mongod = await startMongod(directory);
const subject = await startGuildcal({ mongoUrl: mongod.url, directory });
try {
  const calendar = await openCalendar(mongod.url);
  await calendar.fill(FULL!, named(twentyYears(EVENTS)));
  await calendar.fill(SMALL!, named(twentyYears(200)));
  await calendar.connection.close();
  const lines = [await benchMemory(subject), await benchUnchanged(subject)];
  printLines(lines);
  process.exitCode = lines.every(({ held }) => held) ? 0 : 1;
} finally {
  await dispatcher.close();
  await subject.stop();
  await mongod.stop();
  await rm(directory, { recursive: true, force: true });
}
