import { mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection, Schema } from "mongoose";
import { batchedInsert } from "../../mixins/mongo/batched-insert.ts";
import { stampedNewRecord } from "../../mixins/mongo/change-feed.ts";
import type { GuildId } from "../../services/contracts/ids.ts";
import { type EmbeddedMongod, freePort, startMongod } from "../../services/launch/embedded/embedded-mongod.ts";
import { findMongod } from "../../services/launch/embedded/mongod-binary.ts";
import { newMongoMember, SET_NAME } from "../harness/mongo-member.ts";
import { until } from "../harness/until.ts";
import type { ServiceName } from "../../services/contracts/service-names.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const NOT_ALLOWED = { code: 13, codeName: "Unauthorized" };

async function connected(url: string): Promise<Connection> {
  return mongoose.createConnection(url, { autoCreate: false, autoIndex: false, monitorCommands: true }).asPromise();
}

describe("a database user for each service", () => {
  let directory: string;
  let mongod: EmbeddedMongod;
  const connections: Connection[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-users-"));
    mongod = await startMongod(directory);
  });
  afterAll(async () => {
    await Promise.all(connections.map((each) => each.close()));
    await mongod.stop();
    await removeFolder(directory);
  });

  async function opened(url: string): Promise<Connection> {
    const connection = await connected(url);
    connections.push(connection);
    return connection;
  }
  const collection = async (name: string, url: string) => (await opened(url)).collection<{ at?: number }>(name);
  const as = (service: ServiceName, name: string) => collection(name, mongod.urlOf(service));
  const asAdmin = (name: string) => collection(name, mongod.url);

  test("MongoDB refuses clients without a password", async () => {
    const stranger = await collection(
      "api_keys",
      mongod.url.replace(/admin:\w+@/, "").replace("&authSource=admin", ""),
    );
    await expect(stranger.findOne({})).rejects.toMatchObject(NOT_ALLOWED);
  });

  test.each([
    ["announcements", "api_keys"],
    ["announcements", "calendar_events"],
    ["guild-settings", "announcements"],
    ["calendar-events", "posts"],
    ["dispatch", "guild_settings"],
    ["api", "calendar_events"],
  ] as const)("that of %s can neither read nor write %s, which another service owns", async (service, name) => {
    const foreign = await as(service, name);
    await expect(foreign.findOne({})).rejects.toMatchObject(NOT_ALLOWED);
    await expect(foreign.insertOne({ at: 1 })).rejects.toMatchObject(NOT_ALLOWED);
    await expect(foreign.updateMany({}, { $set: { at: 2 } })).rejects.toMatchObject(NOT_ALLOWED);
    await expect(foreign.deleteMany({})).rejects.toMatchObject(NOT_ALLOWED);
    const admins = await asAdmin(name);
    await admins.insertOne({ at: 3 });
    await expect(admins.findOneAndDelete({})).resolves.toMatchObject({ at: 3 });
  });

  test("that of announcements reads and writes its own collection", async () => {
    const own = await as("announcements", "announcements");
    await own.insertOne({ at: 1 });
    await own.updateOne({ at: 1 }, { $set: { at: 2 } });
    await expect(own.findOne({ at: 2 })).resolves.not.toBeNull();
  });

  test("that of calendar events inserts events together, which is a command on the database and not on a collection", async () => {
    const connection = await opened(mongod.urlOf("calendar-events"));
    const record = { _id: "e1", guildId: "1" as GuildId, revision: 1 };
    const insert = batchedInsert(
      connection.model("Event", new Schema({ _id: String }, { collection: "calendar_events" })),
    );
    const sent: string[] = [];
    connection.getClient().on("commandStarted", ({ commandName }) => void sent.push(commandName));
    await insert({ record, replacement: stampedNewRecord(record, []) });
    expect(sent).toEqual(["aggregate"]);
    const own = await as("calendar-events", "calendar_events");
    await expect(own.findOne({ guildId: "1" })).resolves.toMatchObject({ revision: 1 });
  });

  test("that of a service can create an index, and cannot drop one", async () => {
    const own = await as("calendar-events", "calendar_events");
    const index = await own.createIndex({ location: 1 });
    await expect(own.dropIndex(index)).rejects.toMatchObject(NOT_ALLOWED);
  });

  test("that of the gateway can add to the record of key changes, and cannot change it", async () => {
    const record = await as("api", "api_key_changes");
    await record.insertOne({ at: 1 });
    await expect(record.updateOne({ at: 1 }, { $set: { at: 2 } })).rejects.toMatchObject(NOT_ALLOWED);
    await expect(record.deleteOne({ at: 1 })).rejects.toMatchObject(NOT_ALLOWED);
    await expect(record.drop()).rejects.toMatchObject(NOT_ALLOWED);
    const admins = await asAdmin("api_key_changes");
    await expect(admins.updateOne({ at: 1 }, { $set: { at: 2 } })).resolves.toMatchObject({ modifiedCount: 1 });
  });

  test("MongoDB runs no JavaScript: $where, $function and mapReduce are refused, also for its administrator", async () => {
    const admins = await asAdmin("announcements");
    await admins.insertOne({ at: 1 });
    const noScript = { message: expect.stringMatching(/script/i) };
    const scripted = { $function: { body: "function () { return true; }", args: [], lang: "js" } };
    await expect(admins.findOne({ $where: "true" })).rejects.toMatchObject(noScript);
    await expect(admins.findOne({ $expr: scripted })).rejects.toMatchObject(noScript);
    const mapped = { mapReduce: "announcements", map: "function () {}", reduce: "function () {}", out: { inline: 1 } };
    const database = (await opened(mongod.url)).getClient().db("guildcal");
    await expect(database.command(mapped)).rejects.toMatchObject(noScript);
  });

  test("a service's cannot grant itself more privileges", async () => {
    const more = { grantRolesToUser: "announcements", roles: ["api"] };
    const attempt = (await opened(mongod.urlOf("announcements"))).getClient().db("admin").command(more);
    await expect(attempt).rejects.toMatchObject(NOT_ALLOWED);
    const given = (await opened(mongod.url)).getClient().db("admin").command(more);
    await expect(given).resolves.toMatchObject({ ok: 1 });
  });
});

describe("a data folder", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-folder-"));
    await fillWithoutUsers();
  });
  afterAll(() => removeFolder(directory));

  /** Creates a data folder of a version without database users. */
  async function fillWithoutUsers(): Promise<void> {
    const { binary } = await findMongod(directory);
    const port = await freePort(0);
    const before = newMongoMember(binary?.path ?? "", port, directory);
    await before.start();
    await before.command({ replSetInitiate: { _id: SET_NAME, members: [{ _id: 0, host: before.host }] } });
    await until(async () => (await before.hello())?.isWritablePrimary === true, "a primary");
    const connection = await connected(`mongodb://127.0.0.1:${port}/guildcal?directConnection=true`);
    await connection.collection("announcements").insertOne({ kept: true });
    await connection.close();
    await before.stop();
    await rename(join(directory, `member-${port}`), join(directory, "mongodb"));
    await writeFile(join(directory, "mongodb-port"), String(port));
  }

  async function holds(mongod: EmbeddedMongod): Promise<boolean> {
    const connection = await connected(mongod.urlOf("announcements"));
    const found = await connection.collection("announcements").findOne({ kept: true });
    await connection.close();
    return found !== null;
  }

  test("of a version without users has users from the next start on, and keeps its data", async () => {
    const mongod = await startMongod(directory);
    await expect(holds(mongod)).resolves.toBe(true);
    const stranger = await connected(mongod.url.replace(/admin:\w+@/, "").replace("&authSource=admin", ""));
    await expect(stranger.collection("announcements").findOne({})).rejects.toMatchObject(NOT_ALLOWED);
    await stranger.close();
    await mongod.stop();
  });

  test("whose port is in use is used on another port", async () => {
    const port = Number(await readFile(join(directory, "mongodb-port"), "utf8"));
    const other = createServer((socket) => socket.destroy()).listen(port, "127.0.0.1");
    const mongod = await startMongod(directory);
    expect(mongod.url).not.toContain(`:${port}/`);
    await expect(holds(mongod)).resolves.toBe(true);
    await mongod.stop();
    other.close();
  });

  test("with another keyfile is refused with the file's name, and accepted again with the right keyfile", async () => {
    const keyfile = join(directory, "mongodb-keyfile");
    const right = await readFile(keyfile, "utf8");
    await writeFile(keyfile, right.replaceAll(/./g, "0"));
    await expect(startMongod(directory)).rejects.toThrow(`another ${keyfile}: put that file back`);
    await writeFile(keyfile, right);
    const mongod = await startMongod(directory);
    await expect(holds(mongod)).resolves.toBe(true);
    await mongod.stop();
  });
});
