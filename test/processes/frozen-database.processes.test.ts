import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { freeze } from "../real-parts/freeze.ts";
import { Launched, post } from "../real-parts/launched.ts";
import { until } from "../real-parts/until.ts";
import { removeFolder } from "../real-parts/remove-folder.ts";

const KEY = "a-key-of-twenty-characters-or-more";

describe("a MongoDB that hangs", () => {
  let directory: string;
  let service: Launched;
  let baseUrl: string;
  let mongod: number;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-frozen-"));
    const port = await freePort(0);
    baseUrl = `http://127.0.0.1:${port}`;
    service = new Launched("all", { DATA_DIR: directory, PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
    mongod = Number(await readFile(join(directory, "mongodb", "mongod.lock"), "utf8"));
  });
  afterAll(async () => {
    process.kill(mongod, "SIGCONT");
    await service.end("SIGKILL");
    await removeFolder(directory);
  });

  test("is answered 503 by readiness and by requests, and works again when it goes on", async () => {
    await freeze(mongod);
    const ready = async () => (await fetch(`${baseUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) })).status;
    await until(async () => (await ready()) === 503, "an answer that it is not ready");
    // Longer than a key is remembered: then the look-up of the key hangs as well.
    const asked = Date.now();
    const settings = () => post(baseUrl, KEY, "/v2/guild/settings/get", { guild_id: "1" });
    while (Date.now() - asked < 7_000) expect((await settings()).status).toBe(503);
    process.kill(mongod, "SIGCONT");
    await until(async () => (await ready()) === 200, "readiness");
    await until(async () => (await settings()).status === 200, "an answer");
  });

  test("does not apply a write that was answered 503 when it goes on after the time that the answer names", async () => {
    const create = (name: string) =>
      post(baseUrl, KEY, "/v2/events/create", {
        guild_id: "2",
        calendar_number: 1,
        epoch_start: 0,
        epoch_end: 1,
        name,
      });
    await until(async () => (await create("in time")).status === 200, "a create that is answered");
    await freeze(mongod);
    const answer = await create("late");
    expect([answer.status, answer.body["code"]]).toEqual([503, "OUTCOME_UNKNOWN"]);
    const settledInMs = Number(answer.headers.get("retry-after")) * 1_000;
    expect(settledInMs).toBeGreaterThan(0);
    const answeredAt = performance.now();
    await until(() => performance.now() - answeredAt >= settledInMs, "the time that the answer names");
    process.kill(mongod, "SIGCONT");
    // MongoDB has read the late create before it answers what is asked after it.
    await until(async () => (await create("afterwards")).status === 200, "a create that is answered");
    const { body } = await post(baseUrl, KEY, "/v2/events/list/date", {
      guild_id: "2",
      calendar_number: 1,
      epoch_start: 0,
    });
    const names = (body["events"] as { readonly name: string }[]).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["afterwards", "in time"]);
  });
});
