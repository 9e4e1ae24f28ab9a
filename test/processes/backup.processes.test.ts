import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { ALL_COLLECTIONS } from "../../services/launch/backup/write-backup.ts";
import { GuildcalProcess, post, PROJECT } from "../harness/guildcal-process.ts";
import { NodeProcess } from "../harness/node-process.ts";
import { removeFolder } from "../harness/remove-folder.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const guild = { guild_id: "375357265198317579" };
const HOUR_MS = 3_600_000;
/** After the backup, the restore and the second start. */
const DUE_IN_MS = 45_000;

describe("npm run backup and npm run restore", () => {
  let directory: string;
  let backups: string;
  let baseUrl: string;
  let port: string;
  let running: GuildcalProcess | undefined;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-backups-"));
    backups = join(directory, "backups");
    port = String(await freePort(0));
    baseUrl = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await running?.end();
    await removeFolder(directory);
  });

  async function start(env: Record<string, string>): Promise<GuildcalProcess> {
    running = new GuildcalProcess("all", { PORT: port, API_KEY: KEY, API_KEY_PEPPER: "p".repeat(32), ...env });
    await running.printed(/guildcal is ready/);
    return running;
  }

  /** Runs a command of the launcher; resolves with its exit code and output. */
  async function run(args: readonly string[], env: Record<string, string>): Promise<readonly [number | null, string]> {
    const command = new NodeProcess({ script: join(PROJECT, "services/launch/start.js"), args, env });
    return [await command.exitCode(), command.output];
  }

  async function call(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await post(baseUrl, KEY, path, { ...guild, ...body });
    if (response.status !== 200) throw new Error(JSON.stringify(response.body));
    return response.body;
  }

  const events = () =>
    call("/v2/events/list/range", { calendar_number: 1, epoch_start: 0, epoch_end: 9_000_000_000_000 });
  const states = async () => {
    const { posts } = await call("/v1/announcement/history", { amount: -1 });
    return (posts as { readonly state: string }[]).map(({ state }) => state);
  };

  async function indexesOf(url: string): Promise<Record<string, unknown>> {
    const connection = await mongoose.createConnection(url, { autoIndex: false, autoCreate: false }).asPromise();
    // Only a restore writes `lost_writes`, which has no index of its own.
    const names = ALL_COLLECTIONS.filter((name) => name !== "lost_writes");
    const indexes = await Promise.all(names.map((name) => namedIndexes(connection, name)));
    await connection.close();
    return Object.fromEntries(names.map((name, at) => [name, indexes[at]]));
  }

  test("bring an installation to another database, which serves and posts", async () => {
    const first = { DATA_DIR: join(directory, "first") };
    const service = await start(first);
    await call("/v1/announcement/create", { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" });
    const due = Date.now() + DUE_IN_MS;
    for (const startsAt of [due, due + HOUR_MS]) {
      const times = { epoch_start: startsAt, epoch_end: startsAt + HOUR_MS };
      await call("/v2/events/create", { calendar_number: 1, name: "Raid night", ...times });
    }
    const before = await events();

    // By the user guildcal-backup of the running database, which can only read.
    const [code, output] = await run(["backup", backups, "--keep", "1"], first);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/guildcal-\S+ {2}\d+ documents {2}\d+ bytes {2}[\d.]+ s\n$/),
    ]);
    const [name] = await readdir(backups);
    const backup = join(backups, name ?? "");
    await call("/v2/events/create", { calendar_number: 1, name: "Later", epoch_start: due, epoch_end: due + 1 });
    const { sync_token: lostToken } = await call("/v2/changes", {});
    await service.end();

    const second = { DATA_DIR: join(directory, "second") };
    await expect(run(["restore", backup], second)).resolves.toEqual([
      0,
      expect.stringContaining(" posts may have been sent since "),
    ]);
    await expect(run(["restore", backup], second)).resolves.toEqual([1, expect.stringContaining("is not empty")]);
    const restored = await start(second);
    await expect(events()).resolves.toEqual(before);
    const withLostToken = await post(baseUrl, KEY, "/v2/changes", { ...guild, sync_token: lostToken });
    expect(withLostToken).toMatchObject({ status: 410, body: { code: "SYNC_TOKEN_EXPIRED" } });
    const { sync_token: token } = await call("/v2/changes", {});
    await call("/v2/changes", { sync_token: token });
    await until(async () => (await states()).length > 0, "a post", 90_000);
    await expect(states()).resolves.toEqual(["sent"]);
    await restored.end();
    expect(restored.output.match(/"announcement posted"/g)).toHaveLength(1);
  }, 240_000);

  test("build the same indexes as the services", async () => {
    const [mongoUrl, other] = [emptyDatabase(), emptyDatabase()];
    const service = await start({ MONGO_URL: mongoUrl });
    await service.end();
    const parent = join(directory, "indexes");
    await expect(run(["backup", parent], { MONGO_URL: mongoUrl })).resolves.toMatchObject({ 0: 0 });
    const [name = ""] = await readdir(parent);
    await expect(run(["restore", join(parent, name)], { MONGO_URL: other })).resolves.toMatchObject({ 0: 0 });
    await expect(indexesOf(other)).resolves.toEqual(await indexesOf(mongoUrl));
  });

  test.each([
    [["backup"], "npm run backup -- FOLDER"],
    [["backup", "a", "--keep", "0"], "1 to 1000"],
    [["backup", "a", "--keep", "x"], "1 to 1000"],
    [["restore"], "npm run restore -- FOLDER"],
    [["restore", "a", "b"], "npm run restore -- FOLDER"],
  ])("refuse the arguments %j", async (args, message) => {
    await expect(run(args, {})).resolves.toEqual([1, expect.stringContaining(message)]);
  });
});

async function namedIndexes(connection: Connection, name: string): Promise<unknown> {
  const indexes = await connection
    .collection(name)
    .listIndexes()
    .toArray()
    .catch(() => []);
  return indexes.toSorted((one, other) => String(one["name"]).localeCompare(String(other["name"])));
}
