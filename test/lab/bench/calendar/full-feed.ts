import { Agent, request } from "node:http";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { until } from "../../../harness/until.ts";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import type { NewEvent } from "../../../calendar/many-events.ts";
import { postRequest } from "../requests/post-request.ts";
import { startGuildcal, type Subject, untilIdle } from "../requests/subjects.ts";
import type { Section, Stage } from "../table/section.ts";
import { medianRow, type TableRow } from "../table/table-row.ts";

const NAME = "feed";
const [MEMORY_ROW, UNCHANGED_ROW] = ["100 000 events", "unchanged"];
const GUILD = "77" as GuildId;
const EVENTS = 100_000;
const HOUR_MS = 3_600_000;
const MEBIBYTE = 2 ** 20;
const MAX_MEBIBYTES = 64;
const MAX_TIMES = 1.2;
/** Requests of each kind in a round, one after the other. */
const REQUESTS = 2_000;
const SAMPLE_MS = 50;

/** A hundred thousand events of an hour each, of which one in fifty is a weekly series. */
function manyEvents(): NewEvent[] {
  const start = Date.UTC(2026, 0, 1);
  return Array.from({ length: EVENTS }, (_, at) => {
    const startsAt = start + at * HOUR_MS;
    const event = {
      startsAt,
      endsAt: startsAt + HOUR_MS,
      name: `Event ${at}`,
      description: "Bring potions. ".repeat(8),
    };
    const weekly = { recurs: true, recurrence: { frequency: "WEEKLY", count: 9 } } as const;
    return at % 50 === 0 ? { ...event, ...weekly } : event;
  });
}

/** The feed of a calendar with 100 000 events: the memory of a download, and the processor time of a 304. */
export const FULL_FEED: Section = {
  name: NAME,
  heading: "feed",
  rowNames: [MEMORY_ROW, UNCHANGED_ROW],
  hasServerCpu: true,

  async measure({ given, pace: { rounds }, isChosen, started }: Stage) {
    const calendar = await openCalendar(given.mongoUrl);
    await calendar.fill(GUILD, manyEvents());
    await calendar.connection.close();
    const guildcal = await started(startGuildcal(given));
    const created = await postRequest(guildcal, "/v2/calendar/feeds/create", { guild_id: GUILD, calendar_number: 1 });
    const feed = feedReader(guildcal, String(created["path"]));
    const rows: TableRow[] = [];
    if (isChosen(MEMORY_ROW)) rows.push(await memoryOfDownloads(guildcal, feed, rounds));
    if (isChosen(UNCHANGED_ROW)) rows.push(await costOfUnchanged(guildcal, feed, rounds));
    feed.end();
    return { rows, figures: rows };
  },
};

interface FeedReader {
  /** Sends a request on a connection that stays open; resolves with the status, the tag and the size of the body. */
  readonly get: (path?: string, options?: SentOptions, body?: string) => Promise<Response>;
  readonly end: () => void;
}

interface SentOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Response {
  readonly status: number;
  readonly etag: string;
  readonly bytes: number;
}

function feedReader({ port, key }: Subject, feedPath: string): FeedReader {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    get: (path = feedPath, options = {}, body = "") =>
      new Promise((resolve, reject) => {
        const headers = { authorization: key, ...options.headers };
        const sent = request({ host: "127.0.0.1", port, path, agent, ...options, headers }, (response) => {
          let bytes = 0;
          response.on("data", (chunk: Buffer) => (bytes += chunk.length));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, etag: response.headers.etag ?? "", bytes }),
          );
          response.on("error", reject);
        });
        sent.on("error", reject).end(body);
      }),
    end: () => agent.destroy(),
  };
}

async function memoryOfDownloads(guildcal: Subject, { get }: FeedReader, rounds: number): Promise<TableRow> {
  const more: number[] = [];
  let detail = "";
  for (let round = 0; round < rounds; round += 1) {
    await untilIdle(guildcal);
    await guildcal.held();
    const rest = await residentOf(guildcal);
    let peak = rest;
    const over = new AbortController();
    const sampling = (async () => {
      while (!over.signal.aborted) {
        peak = Math.max(peak, await residentOf(guildcal));
        await new Promise((wake) => setTimeout(wake, SAMPLE_MS));
      }
    })();
    // A failed download is reported, and not that the server has ended before the next sample.
    sampling.catch(() => undefined);
    const startedAt = performance.now();
    const { status, bytes } = await get().finally(() => over.abort());
    const seconds = (performance.now() - startedAt) / 1_000;
    await sampling;
    if (status !== 200) throw new Error(`the feed has the status ${status}`);
    more.push(peak - rest);
    detail = `${(bytes / MEBIBYTE).toFixed(0)} MiB in ${seconds.toFixed(1)} s, resident ${rest.toFixed(0)} MiB at rest`;
  }
  return medianRow({
    row: `${NAME}: ${MEMORY_ROW}`,
    figure: "MiB above rest",
    unit: "",
    bound: { most: MAX_MEBIBYTES },
    rounds: more,
    detail,
  });
}

async function residentOf(guildcal: Subject): Promise<number> {
  return Object.values(await guildcal.usage()).reduce((sum, { rssBytes }) => sum + rssBytes, 0) / MEBIBYTE;
}

async function costOfUnchanged(guildcal: Subject, { get }: FeedReader, rounds: number): Promise<TableRow> {
  let etag = "";
  const unchanged = () => get(undefined, { headers: { "if-none-match": etag } });
  // A feed whose guild was written in the last seconds has a tag that matches nothing.
  await until(
    async () => {
      etag = (await get(undefined, { method: "HEAD" })).etag;
      return (await unchanged()).status === 304;
    },
    "a tag that matches",
    60_000,
    500,
  );
  const body = JSON.stringify({ guild_id: GUILD });
  const json = { method: "POST", headers: { "content-type": "application/json" } };
  const settings = () => get("/v2/guild/settings/get", json, body);
  const ratios: number[] = [];
  let detail = "";
  // A round before the first is not counted: V8 compiles during it.
  for (let round = -1; round < rounds; round += 1) {
    await untilIdle(guildcal);
    const cost = { feed: await cpuOf(guildcal, unchanged, 304), settings: await cpuOf(guildcal, settings, 200) };
    if (round < 0) continue;
    ratios.push(cost.feed / cost.settings);
    detail = `${(1_000 * cost.feed).toFixed(0)} : ${(1_000 * cost.settings).toFixed(0)} µs`;
  }
  return medianRow({
    row: `${NAME}: ${UNCHANGED_ROW}`,
    figure: "CPU of a 304 ÷ settings get",
    unit: "",
    bound: { most: MAX_TIMES },
    rounds: ratios,
    detail,
  });
}

/** The processor time of the server for one request, in milliseconds. */
async function cpuOf(guildcal: Subject, ask: () => Promise<Response>, expected: number): Promise<number> {
  const before = await cpuMs(guildcal);
  for (let at = 0; at < REQUESTS; at += 1) {
    const { status } = await ask();
    if (status !== expected) throw new Error(`the status ${status} instead of ${expected}`);
  }
  return ((await cpuMs(guildcal)) - before) / REQUESTS;
}

async function cpuMs(guildcal: Subject): Promise<number> {
  return Object.values(await guildcal.usage()).reduce((sum, each) => sum + each.cpuMs, 0);
}
