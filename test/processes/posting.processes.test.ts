import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { serviceProcess } from "../harness/service-process.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const guild = { guild_id: "375357265198317579" };
const MINUTE_MS = 60_000;

/** Long enough for both requests: an announcement that is created after its due instant is skipped (D31). */
const DUE_IN_MS = 6_000;

/** Creates an event, and an announcement a minute before it; returns the announcement's id and its due instant. */
async function announce(baseUrl: string): Promise<{ readonly id: string; readonly due: number }> {
  const due = Date.now() + DUE_IN_MS;
  const start = due + MINUTE_MS;
  const times = { epoch_start: start, epoch_end: start + MINUTE_MS };
  const event = await post(baseUrl, KEY, "/v2/events/create", { ...guild, calendar_number: 1, ...times });
  const lead = { hours: 0, minutes: 1, info: "" };
  const specific = { channel: "1", type: "SPECIFIC", event_id: event.body["id"], ...lead };
  const { body } = await post(baseUrl, KEY, "/v1/announcement/create", { ...guild, ...specific });
  return { id: String(body["id"]), due };
}

async function statesOf(baseUrl: string, id: string): Promise<string[]> {
  const { body } = await post(baseUrl, KEY, "/v1/announcement/history", { ...guild, id, amount: -1 });
  return ((body["posts"] ?? []) as { state: string }[]).map(({ state }) => state);
}

/**
 * The message ids with which the log sink has written posts of this announcement, in several outputs. A kill after the line
 * and before the ledger's write repeats the line with the same id, since a log cannot drop a double.
 */
function messagesOf(id: string, ...outputs: string[]): string[] {
  const lines = outputs.join("").split("\n");
  const posted = lines.filter((line) => line.includes('"announcement posted"') && line.includes(id));
  return [...new Set(posted.map((line) => (JSON.parse(line) as { messageId: string }).messageId))];
}

describe("an announcement that comes due while its process is dead", () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-posting-"));
  });
  afterAll(() => removeFolder(directory));

  test("is posted once after the next start, late and within the grace time", async () => {
    const port = await freePort(0);
    const baseUrl = `http://127.0.0.1:${port}`;
    const env = { DATA_DIR: directory, PORT: String(port), API_KEY: KEY };
    const first = new GuildcalProcess("all", env);
    await first.printed(/guildcal is ready/);
    const { id, due } = await announce(baseUrl);
    await first.end("SIGKILL");
    await until(() => Date.now() > due, "the due instant");

    const second = new GuildcalProcess("all", env);
    await second.printed(/guildcal is ready/);
    await until(async () => (await statesOf(baseUrl, id)).includes("sent"), "the post");
    await expect(statesOf(baseUrl, id)).resolves.toEqual(["sent"]);
    await second.end();
    expect(messagesOf(id, first.output, second.output)).toHaveLength(1);
  });

  test("is posted once by the next process of the dispatch service", async () => {
    const port = await freePort(0);
    const baseUrl = `http://127.0.0.1:${port}`;
    const service = new GuildcalProcess("nats", { DATA_DIR: directory, PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
    const { id, due } = await announce(baseUrl);
    // The next process takes longer than this to start.
    await until(() => Date.now() > due - 300, "the instant before it is due");
    process.kill(await serviceProcess(service.pid, "dispatch"), "SIGKILL");
    const sent = async () => (await statesOf(baseUrl, id)).includes("sent");
    await until(sent, "the post", 30_000);
    await service.end();
    expect(messagesOf(id, service.output)).toHaveLength(1);
  });
});
