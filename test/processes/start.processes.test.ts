import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { emptyDatabase } from "../harness/test-services.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const run = promisify(execFile);
const GUILD = "375357265198317579";
const event = { guild_id: GUILD, calendar_number: 1, epoch_start: 1000, epoch_end: 2000 };

describe("npm start, on an embedded MongoDB", () => {
  let directory: string;
  let env: Record<string, string>;
  let baseUrl: string;
  let key: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-start-"));
    const port = await freePort(0);
    baseUrl = `http://127.0.0.1:${port}`;
    env = { DATA_DIR: directory, PORT: String(port) };
  });
  afterAll(() => removeFolder(directory));

  test("the first start prints a key once, and a curl command that works unchanged", async () => {
    const service = new GuildcalProcess("all", env);
    const [line] = await service.printed(/curl -s .*$/m);
    key = /Authorization: (\S+)'/.exec(line)?.[1] as string;
    const { stdout } = await run("sh", ["-c", line]);
    expect(stdout).toContain(`"guild_id":${GUILD}`);
    await expect(post(baseUrl, key, "/v2/events/create", event)).resolves.toMatchObject({ status: 200 });
    const stored = await readFile(join(directory, "mongodb", "mongod.lock"), "utf8");
    await expect(service.end("SIGINT")).resolves.toBe(0);
    expect(service.output).toContain(`${baseUrl}/docs`);
    await expect(readFile(`/proc/${stored.trim()}/comm`, "utf8")).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("a second start prints no key, and has all data", async () => {
    const service = new GuildcalProcess("all", env);
    const [line] = await service.printed(/curl -s .*$/m);
    await expect(run("sh", ["-c", line])).resolves.toMatchObject({
      stdout: expect.stringContaining("ready") as unknown,
    });
    expect(service.output).not.toContain(key);
    const listed = await post(baseUrl, key, "/v2/events/list/date", { ...event, epoch_start: 0 });
    expect(listed.body["events"]).toHaveLength(1);
    await expect(service.end("SIGTERM")).resolves.toBe(0);
  });

  test("another start on the same data is refused, and does not affect the running process", async () => {
    const service = new GuildcalProcess("all", env);
    await service.printed(/guildcal is ready/);
    const other = new GuildcalProcess("all", { ...env, PORT: String(await freePort(0)) });
    await expect(other.exitCode()).resolves.toBe(1);
    expect(other.output).toMatch(/^\S+mongodb is in use by another mongod \(process \d+\)\n$/);
    const listed = await post(baseUrl, key, "/v2/events/list/date", { ...event, epoch_start: 0 });
    expect(listed.status).toBe(200);
    await service.end();
  });

  test("kill -9 during writes loses no write with a 200", async () => {
    const service = new GuildcalProcess("all", env);
    await service.printed(/guildcal is ready/);
    const answered: string[] = [];
    const writer = async () => {
      for (;;) {
        const { status, body } = await post(baseUrl, key, "/v2/events/create", event);
        if (status === 200) answered.push(String(body["id"]));
      }
    };
    const writers = Array.from({ length: 8 }, () => writer().catch(() => undefined));
    while (answered.length < 200) await new Promise((wake) => setTimeout(wake, 5));
    await service.end("SIGKILL");
    await Promise.all(writers);

    const next = new GuildcalProcess("all", env);
    await next.printed(/guildcal is ready/);
    const { body } = await post(baseUrl, key, "/v2/events/list/date", { ...event, epoch_start: 0 });
    const there = new Set((body["events"] as { event_id: string }[]).map(({ event_id }) => event_id));
    expect(answered.filter((id) => !there.has(id))).toEqual([]);
    await next.end();
  });
});

describe("a start that fails", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-fail-"));
  });
  afterAll(() => removeFolder(directory));

  async function failure(mode: string, env: Record<string, string>): Promise<string[]> {
    const service = new GuildcalProcess(mode, { DATA_DIR: directory, ...env });
    await expect(service.exitCode()).resolves.toBe(1);
    return service.output.trimEnd().split("\n");
  }

  test("prints in one line that the port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => other.once("listening", listening));
    const { port } = other.address() as { port: number };
    await expect(failure("all", { PORT: String(port) })).resolves.toEqual([
      `Port ${port} is in use on 127.0.0.1: stop the program that listens there, or set PORT to another port`,
    ]);
    other.close();
  });

  test("prints a line for each wrong setting, and never a value", async () => {
    const lines = await failure("all", {
      PORT: "70000",
      MONGO_URL: "http://user:secret@x",
      LOG_LEVEL: "loud",
      API_KEY: "a",
      SINKS: "discord",
    });
    expect(lines).toHaveLength(5);
    for (const name of ["PORT", "MONGO_URL", "LOG_LEVEL", "API_KEY", "DISCORD_TOKEN"]) {
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^Setting: ${name} must be `)));
    }
    expect(lines.join("\n")).not.toContain("secret");
  });

  test("prints that MongoDB is unreachable, without the password", async () => {
    const port = await freePort(0);
    const url = `mongodb://somebody:secret@127.0.0.1:${port}/guildcal`;
    await expect(failure("all", { MONGO_URL: url, PORT: String(await freePort(0)) })).resolves.toEqual([
      `MongoDB is unreachable at 127.0.0.1:${port}: no response in 5 seconds: connect ECONNREFUSED 127.0.0.1:${port}`,
    ]);
  });

  test("prints that NATS is unreachable", async () => {
    const port = await freePort(0);
    const env = { MONGO_URL: emptyDatabase(), NATS_URL: `nats://127.0.0.1:${port}`, PORT: String(await freePort(0)) };
    await expect(failure("all", env)).resolves.toEqual([`NATS is unreachable at 127.0.0.1:${port}: no server listens`]);
  });

  test("prints that a gateway in its own process needs the pepper", async () => {
    const env = { MONGO_URL: emptyDatabase(), NATS_URL: String(process.env["TEST_NATS_URL"]) };
    const [line = ""] = await failure("api", { ...env, PORT: String(await freePort(0)) });
    const msg = "API_KEY_PEPPER must be set for a gateway in a process of its own";
    expect(JSON.parse(line)).toMatchObject({ level: "fatal", msg });
  });

  test("prints that the data folder cannot be created", async () => {
    const lines = await failure("all", { DATA_DIR: "/dev/null/data", PORT: String(await freePort(0)) });
    expect(lines).toEqual([expect.stringMatching(/^DATA_DIR can't be written: /)]);
  });

  test("prints that also for a path at which Node would never stop trying to create the folder", async () => {
    const lines = await failure("all", { DATA_DIR: "/proc/guildcal", PORT: String(await freePort(0)) });
    expect(lines).toEqual([expect.stringMatching(/^DATA_DIR can't be written: /)]);
  });

  test("prints the modes if the mode is unknown", async () => {
    await expect(failure("everything", {})).resolves.toEqual([
      expect.stringMatching(
        /^Unknown mode: give all, nats, demo, keys, bus-users, schema, backup, restore, import or one of /,
      ),
    ]);
  });

  test("prints that Node is too old, in syntax that an old Node can parse", async () => {
    const old = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.20.2'})";
    const start = join(import.meta.dirname, "../../services/launch/start.js");
    await expect(run(process.execPath, ["--import", old, start, "all"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^guildcal needs Node 24 or newer, and this is 20\.20\.2\. .*\n$/) as unknown,
    });
  });
});
