import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { freeze } from "../harness/freeze.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const KEY = "a-key-of-twenty-characters-or-more";

describe("a MongoDB that hangs", () => {
  let directory: string;
  let service: GuildcalProcess;
  let baseUrl: string;
  let mongod: number;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-frozen-"));
    const port = await freePort(0);
    baseUrl = `http://127.0.0.1:${port}`;
    service = new GuildcalProcess("all", { DATA_DIR: directory, PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
    mongod = Number(await readFile(join(directory, "mongodb", "mongod.lock"), "utf8"));
  });
  afterAll(async () => {
    process.kill(mongod, "SIGCONT");
    await service.end("SIGKILL");
    await removeFolder(directory);
  });

  test("makes the readiness probe and requests fail with 503, and both work again when it continues", async () => {
    await freeze(mongod);
    const ready = async () => (await fetch(`${baseUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) })).status;
    await until(async () => (await ready()) === 503, "a failed readiness probe");
    // Longer than a key is cached, so that the query of the key hangs, too.
    const startedAt = Date.now();
    const settings = () => post(baseUrl, KEY, "/v2/guild/settings/get", { guild_id: "1" });
    while (Date.now() - startedAt < 7_000) expect((await settings()).status).toBe(503);
    process.kill(mongod, "SIGCONT");
    await until(async () => (await ready()) === 200, "readiness");
    await until(async () => (await settings()).status === 200, "a response");
  });

  test("does not apply a write that got 503 if it continues after the time in the response", async () => {
    const create = (name: string) =>
      post(baseUrl, KEY, "/v2/events/create", {
        guild_id: "2",
        calendar_number: 1,
        epoch_start: 0,
        epoch_end: 1,
        name,
      });
    await until(async () => (await create("in time")).status === 200, "a successful create");
    await freeze(mongod);
    const response = await create("late");
    expect([response.status, response.body["code"]]).toEqual([503, "OUTCOME_UNKNOWN"]);
    const settledInMs = Number(response.headers.get("retry-after")) * 1_000;
    expect(settledInMs).toBeGreaterThan(0);
    const respondedAt = performance.now();
    await until(() => performance.now() - respondedAt >= settledInMs, "the time in the response");
    process.kill(mongod, "SIGCONT");
    // MongoDB has read the late create before it responds to a later command.
    await until(async () => (await create("afterwards")).status === 200, "a successful create");
    const { body } = await post(baseUrl, KEY, "/v2/events/list/date", {
      guild_id: "2",
      calendar_number: 1,
      epoch_start: 0,
    });
    const names = (body["events"] as { readonly name: string }[]).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["afterwards", "in time"]);
  });
});
