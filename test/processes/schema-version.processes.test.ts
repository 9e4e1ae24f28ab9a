import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import mongoose, { type Connection } from "mongoose";
import { schemaCollection } from "../../services/launch/permissions/database-privileges.ts";
import { finishSchema, SCHEMA_VERSION } from "../../services/launch/run/schema-version.ts";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { SERVICES } from "../../services/contracts/service-names.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { until } from "../harness/until.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const guild = { guild_id: "375357265198317579" };
const POSTED_MS = 60_000;
/** A post is planned before its event starts, also on a busy machine. */
const ENOUGH_MS = 15_000;

/** The schema row of a service's data. */
type Row = { readonly _id: string; readonly newest: number; readonly oldest: number };

describe("the schema version of the data", () => {
  let mongoUrl: string;
  let database: Connection;
  let baseUrl: string;
  const started: GuildcalProcess[] = [];

  beforeEach(async () => {
    mongoUrl = emptyDatabase();
    database = await mongoose.createConnection(mongoUrl, { autoIndex: false, autoCreate: false }).asPromise();
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((each) => each.end("SIGKILL")));
    await database.dropDatabase();
    await database.close();
  });

  const rows = (service: (typeof SERVICES)[number]) => database.collection<Row>(schemaCollection(service));
  const read = async (service: (typeof SERVICES)[number]) => {
    const row = await rows(service).findOne({ _id: "schema" });
    return row === null ? undefined : [row.newest, row.oldest];
  };
  /** Writes the schema rows of processes of other releases. */
  async function write(newest: number, oldest: number): Promise<void> {
    for (const service of SERVICES) {
      await rows(service).replaceOne({ _id: "schema" }, { newest, oldest }, { upsert: true });
    }
  }

  async function start(mode: string, words: Record<string, string> = {}): Promise<GuildcalProcess> {
    const port = String(await freePort(0));
    baseUrl = `http://127.0.0.1:${port}`;
    const settings = { MONGO_URL: mongoUrl, PORT: port, API_KEY: KEY, API_KEY_PEPPER: "p".repeat(32) };
    const launched = new GuildcalProcess(mode, { ...settings, NATS_URL: process.env["TEST_NATS_URL"] ?? "", ...words });
    started.push(launched);
    return launched;
  }

  async function running(): Promise<GuildcalProcess> {
    const launched = await start("all", { NATS_URL: "" });
    await launched.printed(/guildcal is ready/);
    return launched;
  }

  async function refused(mode: string): Promise<string> {
    const launched = await start(mode);
    await expect(launched.exitCode()).resolves.toBe(1);
    return launched.output;
  }

  /** Creates an event that starts in `inMs` and is announced at its start; returns its id. */
  async function announce(inMs: number): Promise<unknown> {
    const startsAt = Date.now() + inMs;
    const times = { epoch_start: startsAt, epoch_end: startsAt + 600_000 };
    const { status, body } = await post(baseUrl, KEY, "/v2/events/create", {
      ...guild,
      calendar_number: 1,
      name: "x",
      ...times,
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body["id"];
  }

  test("is this release's on an empty database, and each service has its own", async () => {
    const launched = await running();
    for (const service of SERVICES) await expect(read(service)).resolves.toEqual([SCHEMA_VERSION, SCHEMA_VERSION]);
    await expect(launched.end()).resolves.toBe(0);
  });

  test.each([
    ["a version that a release after the next has written", SCHEMA_VERSION + 2, SCHEMA_VERSION + 1],
    ["rows of a version before the last", SCHEMA_VERSION - 1, SCHEMA_VERSION - 2],
  ])(
    "keeps a process from starting on %s, with one line, exit code 1, and unchanged data",
    async (_on, newest, oldest) => {
      await write(newest, oldest);
      for (const mode of ["all", "dispatch"] as const) {
        const output = await refused(mode);
        expect(output).toContain("start a release of schema version");
        expect(new Set(output.trim().split("\n").map(withoutService)).size).toBe(1);
      }
      await expect(read("dispatch")).resolves.toEqual([newest, oldest]);
      const collections = (await database.listCollections()).map(({ name }) => name);
      expect(collections.toSorted()).toEqual(SERVICES.map(schemaCollection).toSorted());
    },
  );

  test("allows an upgrade and a rollback by one release, with requests and posts in flight", async () => {
    const first = await running();
    const rule = { channel: "1", type: "UNIVERSAL", hours: 0, minutes: 0, info: "" };
    await post(baseUrl, KEY, "/v1/announcement/create", { ...guild, ...rule });
    const ids = [await announce(ENOUGH_MS), await announce(2 * ENOUGH_MS)];

    // There are rows of the previous release, on which the next one has run: the second process is the rollback.
    await write(SCHEMA_VERSION + 1, SCHEMA_VERSION - 1);
    const back = await running();
    await expect(read("calendar-events")).resolves.toEqual([SCHEMA_VERSION + 1, SCHEMA_VERSION - 1]);
    ids.push(await announce(ENOUGH_MS));
    await first.end();
    ids.push(await announce(ENOUGH_MS));
    const history = async () => {
      const { body } = await post(baseUrl, KEY, "/v1/announcement/history", { ...guild, amount: -1 });
      return (body["posts"] ?? []) as { readonly event_id: unknown; readonly state: unknown }[];
    };
    await until(async () => (await history()).length >= ids.length, "the posts", POSTED_MS);
    const posts = await history();
    expect(posts.map(({ state }) => state)).toEqual(ids.map(() => "sent"));
    expect(new Set(posts.map((each) => each.event_id))).toEqual(new Set(ids));
    await back.end();
  }, 150_000);

  test("of data without one is that of 0.1.0, until the operator finishes the upgrade", async () => {
    await database.collection("announcements").insertOne({ guildId: "1" });
    const launched = await running();
    await expect(read("announcements")).resolves.toEqual([SCHEMA_VERSION, 1]);
    await expect(read("calendar-events")).resolves.toEqual([SCHEMA_VERSION, SCHEMA_VERSION]);
    await launched.end();
    const shown = await start("schema");
    await expect(shown.exitCode()).resolves.toBe(0);
    expect(shown.output).toContain(`announcements  newest ${SCHEMA_VERSION}  oldest 1  this release ${SCHEMA_VERSION}`);
    await finishSchema(mongoUrl, "announcements");
    await expect(read("announcements")).resolves.toEqual([SCHEMA_VERSION, SCHEMA_VERSION]);
    await write(SCHEMA_VERSION + 1, SCHEMA_VERSION - 1);
    await expect(finishSchema(mongoUrl, "announcements")).rejects.toThrow("finish it there");
  });
});

/** Several services may log the same problem of their own data. */
function withoutService(line: string): string {
  return line.replace(new RegExp(SERVICES.join("|")), "");
}
