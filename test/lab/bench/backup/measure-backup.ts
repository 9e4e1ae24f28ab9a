import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCalendar } from "../../../calendar/filled-calendar.ts";
import { GuildcalProcess, post, PROJECT } from "../../../harness/guildcal-process.ts";
import { NodeProcess } from "../../../harness/node-process.ts";
import { removeFolder } from "../../../harness/remove-folder.ts";
import { freePort, startMongod } from "../../../../services/launch/embedded/embedded-mongod.ts";
import { MANIFEST, type Manifest } from "../../../../services/launch/backup/backup-folder.ts";
import { recordSchemaVersion } from "../../../../services/launch/run/schema-version.ts";
import type { GuildId } from "../../../../services/contracts/ids.ts";
import { readOptions } from "../../options.ts";

// Measures a backup, its restore into an empty database, and the start of the service on it, with the embedded MongoDB.

const EVENTS_PER_GUILD = 100;
const GUILDS_AT_ONCE = 20;
const HOUR = 3_600_000;
const KEY = "a-key-of-twenty-characters-or-more";
const LOOK_EVERY_MS = 50;
const FIRST_GUILD = 375_357_265_198_317_579n;

const { events } = readOptions({ events: 1_000_000 });
const directory = await mkdtemp(join(tmpdir(), "guildcal-bench-backup-"));
const [first, second, backups] = ["first", "second", "backups"].map((name) => join(directory, name)) as [
  string,
  string,
  string,
];
try {
  await fill(first);
  const backup = await timed("backup", () => run(["backup", backups], first));
  const [name = ""] = await readdir(backups);
  print("size of the backup", `${mebibytes(await sizeOf(join(backups, name)))} MiB`);
  await needEvents(join(backups, name));
  const restore = await timed("restore", () => run(["restore", join(backups, name)], second));
  const start = await timed("start until a list is answered", () => serve(second));
  print("RTO: restore and start", `${((restore + start) / 1_000).toFixed(1)} s`);
  print("least RPO of continuous backups", `${(backup / 1_000).toFixed(1)} s`);
} finally {
  await removeFolder(directory);
}

async function fill(folder: string): Promise<void> {
  const mongod = await startMongod(folder);
  await recordSchemaVersion(mongod.url, "calendar-events");
  const calendar = await openCalendar(mongod.url);
  const guilds = Math.ceil(events / EVENTS_PER_GUILD);
  const now = Date.now();
  for (let at = 0; at < guilds; at += GUILDS_AT_ONCE) {
    const ids = Array.from({ length: Math.min(GUILDS_AT_ONCE, guilds - at) }, (_, next) => guildAt(at + next));
    await Promise.all(ids.map((id) => calendar.fill(id, eventsFrom(now))));
  }
  await calendar.connection.close();
  await mongod.stop();
  print("events", String(guilds * EVENTS_PER_GUILD));
}

async function needEvents(backup: string): Promise<void> {
  const { files } = JSON.parse(await readFile(join(backup, MANIFEST), "utf8")) as Manifest;
  const documents = files.find(({ collection }) => collection === "calendar_events")?.documents ?? 0;
  if (documents < events) throw new Error(`the backup has ${documents} of ${events} events`);
}

function guildAt(at: number): GuildId {
  return String(FIRST_GUILD + BigInt(at)) as GuildId;
}

/** One event in ten is a series. */
function eventsFrom(now: number) {
  return Array.from({ length: EVENTS_PER_GUILD }, (_, at) => {
    const startsAt = now + at * 7 * HOUR;
    // Random, so that the texts of different events do not compress each other.
    const texts = { name: `Raid ${randomBytes(6).toString("hex")}`, description: randomBytes(45).toString("base64") };
    const recurrence = { frequency: "WEEKLY", count: 10, interval: 1 } as const;
    return { startsAt, endsAt: startsAt + HOUR, ...texts, ...(at % 10 === 0 ? { recurs: true, recurrence } : {}) };
  });
}

/** Runs a command of the launcher, and prints its largest resident memory. */
async function run(args: readonly [string, string], folder: string): Promise<void> {
  const script = join(PROJECT, "services/launch/start.js");
  const command = new NodeProcess({ script, args, env: { DATA_DIR: folder } });
  let kibibytes = 0;
  const looking = setInterval(() => {
    void readFile(`/proc/${command.pid}/status`, "utf8").then(
      (text) => (kibibytes = Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? kibibytes)),
      () => undefined,
    );
  }, LOOK_EVERY_MS);
  await command.ended;
  clearInterval(looking);
  if (command.child.exitCode !== 0) throw new Error(command.output);
  print(`memory of the ${args[0]}'s process`, `${mebibytes(kibibytes * 1_024)} MiB`);
}

async function serve(folder: string): Promise<void> {
  const port = String(await freePort(0));
  const service = new GuildcalProcess("all", { DATA_DIR: folder, PORT: port, API_KEY: KEY });
  await service.printed(/guildcal is ready/);
  const range = { epoch_start: Date.now(), epoch_end: Date.now() + 24 * HOUR };
  const body = { guild_id: guildAt(0), calendar_number: 1, ...range };
  const response = await post(`http://127.0.0.1:${port}`, KEY, "/v2/events/list/range", body);
  const listed = response.body["events"];
  if (!Array.isArray(listed) || listed.length === 0) throw new Error(JSON.stringify(response.body));
  await service.end();
}

async function timed(what: string, work: () => Promise<void>): Promise<number> {
  const beganAt = performance.now();
  await work();
  const ms = performance.now() - beganAt;
  print(what, `${(ms / 1_000).toFixed(1)} s`);
  return ms;
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function mebibytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}

function print(what: string, value: string): void {
  process.stdout.write(`${what}: ${value}\n`);
}
