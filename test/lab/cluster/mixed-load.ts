import { setTimeout as pause } from "node:timers/promises";
import type { ApiResponse } from "../../harness/guildcal-process.ts";
import { until } from "../../harness/until.ts";
import type { Client } from "./client.ts";
import { type Found, PromisedWrites, type WritesVerdict } from "./promised-writes.ts";

/** Requests of every kind, from several clients. */
export interface MixedLoad {
  /** Stops sending; resolves after the last response. */
  stop(): Promise<void>;
  /** Reads all records again, and compares them with the writes. */
  verdict(): Promise<WritesVerdict>;
  /** Number of reads that did not show a write that had a 200 before. */
  readonly staleReads: number;
}

const DAY = 86_400_000;
/** Beyond the planning horizon of dispatch, 48 hours, so that these events are never announced. */
const FAR = 60 * DAY;
const GUILDS = 40;
let guilds = 1_000_000;
let marks = 0;

/** Pause of a client between two operations of one to three requests each. */
const PAUSE_MS = 50;

/** Starts clients that send one request after the other, until they are stopped. */
export function startMixedLoad(client: Client, clients: number): MixedLoad {
  const guildIds = Array.from({ length: GUILDS }, () => String((guilds += 1)));
  const writes = new PromisedWrites();
  const idle: { guildId: string; id: string }[] = [];
  const startsAt = Date.now() + FAR;
  let staleReads = 0;

  const inGuild = (guildId: string) => ({ guild_id: guildId, calendar_number: 1 });
  const mark = () => `m${(marks += 1)}`;
  const wholeGuild = (guildId: string) => ({
    ...inGuild(guildId),
    epoch_start: startsAt - DAY,
    epoch_end: startsAt + DAY,
  });

  function checkRead(reply: ApiResponse, field: string, value: string): void {
    if (reply.status === 200 && reply.body[field] !== value) staleReads += 1;
  }

  async function createEvent(guildId: string): Promise<void> {
    const fields = { epoch_start: startsAt, epoch_end: startsAt + 1_000, name: "v0", location: mark() };
    const created = await client.write("/v2/events/create", { ...inGuild(guildId), ...fields });
    const id = created.status === 200 ? String(created.body["id"]) : undefined;
    writes.created({ guildId, mark: fields.location, ...(id === undefined ? {} : { id }) });
    if (id === undefined) return;
    checkRead(await client.read("/v2/events/get", { ...inGuild(guildId), event_id: id }), "location", fields.location);
    idle.push({ guildId, id });
  }

  async function updateEvent(guildId: string): Promise<void> {
    const event = idle.shift();
    if (event === undefined) return createEvent(guildId);
    const [request, name] = [{ ...inGuild(event.guildId), event_id: event.id }, mark()];
    const { status } = await client.write("/v2/events/update", { ...request, name });
    writes.updated(event.id, name, status === 200);
    if (status === 200) checkRead(await client.read("/v2/events/get", request), "name", name);
    idle.push(event);
  }

  async function createAnnouncement(guildId: string): Promise<void> {
    const fields = { channel: "1", type: "COLOR", event_color: "RED", hours: 0, minutes: 0, info: mark() };
    const created = await client.write("/v1/announcement/create", { guild_id: guildId, ...fields });
    const id = created.status === 200 ? String(created.body["id"]) : undefined;
    writes.created({ guildId, mark: fields.info, ...(id === undefined ? {} : { id }) });
    if (id !== undefined)
      checkRead(await client.read("/v1/announcement/get", { guild_id: guildId, id }), "info", fields.info);
  }

  async function updateSettings(guildId: string): Promise<void> {
    await client.write("/v2/guild/settings/update", { guild_id: guildId, twelve_hour: false });
    await client.read("/v2/guild/settings/get", { guild_id: guildId });
  }

  const reading = (path: string, bodyOf: (guildId: string) => object) => async (guildId: string) =>
    void (await client.read(path, bodyOf(guildId)));
  const operations = [
    createEvent,
    updateEvent,
    createAnnouncement,
    updateSettings,
    reading("/v2/events/list/range", wholeGuild),
    reading("/v1/announcement/list", (guildId) => ({ guild_id: guildId, amount: -1 })),
    reading("/v1/announcement/upcoming", (guildId) => ({ guild_id: guildId, amount: 10 })),
    reading("/v2/calendar/get", inGuild),
  ];

  let turn = 0;
  const end = new AbortController();
  async function sendUntilStopped(): Promise<void> {
    while (!end.signal.aborted) {
      const operation = operations[turn % operations.length] as (guildId: string) => Promise<void>;
      const guildId = guildIds[Math.floor(turn / operations.length) % GUILDS] as string;
      turn += 1;
      await operation(guildId);
      await pause(PAUSE_MS);
    }
  }
  const running = Promise.all(Array.from({ length: clients }, sendUntilStopped));

  async function foundIn(guildId: string): Promise<Found[]> {
    const events = await readUntilFound(client, "/v2/events/list/range", wholeGuild(guildId));
    const announcements = await readUntilFound(client, "/v1/announcement/list", { guild_id: guildId, amount: -1 });
    return [
      ...rowsOf(events, "events").map((row) => foundAs(guildId, row, "event_id", "location", "name")),
      ...rowsOf(announcements, "announcements").map((row) => foundAs(guildId, row, "id", "info", "type")),
    ];
  }

  return {
    get staleReads() {
      return staleReads;
    },
    async stop() {
      end.abort();
      await running;
    },
    async verdict() {
      const found: Found[] = [];
      for (const guildId of guildIds) found.push(...(await foundIn(guildId)));
      return writes.verdictOn(found);
    },
  };
}

type Row = Readonly<Record<string, string>>;

function rowsOf({ body }: ApiResponse, list: string): readonly Row[] {
  return body[list] as Row[];
}

/** Reads again until there is a response with 200, so that the verdict is complete. */
async function readUntilFound(client: Client, path: string, body: object): Promise<ApiResponse> {
  let reply = await client.read(path, body);
  const isRead = async () => reply.status === 200 || (reply = await client.read(path, body)).status === 200;
  await until(isRead, `a response of ${path}`, 60_000);
  return reply;
}

function foundAs(guildId: string, row: Row, id: string, mark: string, value: string): Found {
  return { guildId, id: row[id] ?? "", mark: row[mark] ?? "", value: row[value] ?? "" };
}
