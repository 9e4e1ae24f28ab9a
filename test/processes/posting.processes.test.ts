import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded-mongod.ts";
import { Launched, post } from "../real-parts/launched.ts";
import { serviceProcess } from "../real-parts/service-process.ts";
import { until } from "../real-parts/until.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const guild = { guild_id: "375357265198317579" };
const MINUTE_MS = 60_000;

/** Makes an event, and an announcement a minute before it that is due after `dueInMs`; gives the announcement's id. */
async function announce(baseUrl: string, dueInMs: number): Promise<string> {
  const start = Date.now() + MINUTE_MS + dueInMs;
  const times = { epoch_start: start, epoch_end: start + MINUTE_MS };
  const event = await post(baseUrl, KEY, "/v2/events/create", { ...guild, calendar_number: 1, ...times });
  const lead = { hours: 0, minutes: 1, info: "" };
  const specific = { channel: "1", type: "SPECIFIC", event_id: event.body["id"], ...lead };
  const { body } = await post(baseUrl, KEY, "/v1/announcement/create", { ...guild, ...specific });
  return String(body["id"]);
}

async function statesOf(baseUrl: string, id: string): Promise<string[]> {
  const { body } = await post(baseUrl, KEY, "/v1/announcement/history", { ...guild, id, amount: -1 });
  return ((body["posts"] ?? []) as { state: string }[]).map(({ state }) => state);
}

/** How often the log sink wrote a post of this announcement, over several outputs. */
function timesPosted(id: string, ...outputs: string[]): number {
  return outputs
    .join("")
    .split("\n")
    .filter((line) => line.includes("announcement posted") && line.includes(id)).length;
}

describe("an announcement that comes due while its process is dead", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-posting-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test("is posted once after the next start, late and inside the grace time", async () => {
    const port = await freePort(0);
    const baseUrl = `http://127.0.0.1:${port}`;
    const env = { DATA_DIR: directory, PORT: String(port), API_KEY: KEY };
    const first = new Launched("all", env);
    await first.printed(/guildcal is ready/);
    const id = await announce(baseUrl, 1_500);
    const due = Date.now() + 1_500;
    await first.end("SIGKILL");
    await until(() => Date.now() > due, "the due instant");

    const second = new Launched("all", env);
    await second.printed(/guildcal is ready/);
    await until(async () => (await statesOf(baseUrl, id)).includes("sent"), "the post");
    await expect(statesOf(baseUrl, id)).resolves.toEqual(["sent"]);
    await second.end();
    expect(timesPosted(id, first.output, second.output)).toBe(1);
  });

  test("is posted once by the dispatch service's successor", async () => {
    const port = await freePort(0);
    const baseUrl = `http://127.0.0.1:${port}`;
    const service = new Launched("nats", { DATA_DIR: directory, PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
    const id = await announce(baseUrl, 1_000);
    process.kill(await serviceProcess(service.pid, "dispatch"), "SIGKILL");
    const sent = async () => (await statesOf(baseUrl, id)).includes("sent");
    await until(sent, "the post", 30_000);
    await service.end();
    expect(timesPosted(id, service.output)).toBe(1);
  });
});
