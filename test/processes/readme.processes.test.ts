import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess, PROJECT } from "../harness/guildcal-process.ts";
import { emptyDatabase } from "../harness/test-services.ts";

const run = promisify(execFile);
const KEY = "a-key-of-twenty-characters-or-more";

/** The shell commands of a document that send requests. */
async function requestsIn(path: string): Promise<string[]> {
  const text = await readFile(join(PROJECT, path), "utf8");
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
  return blocks.filter((block) => /\bcall \/|^KEY=/m.test(block));
}

describe("requests in the documents", () => {
  let service: GuildcalProcess;
  let port: number;

  beforeAll(async () => {
    port = await freePort(0);
    service = new GuildcalProcess("all", { MONGO_URL: emptyDatabase(), PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
  });
  afterAll(() => service.end());

  /** Runs the commands, and prints the status after each response, also if a command reads the response. */
  async function statusesOf(script: string): Promise<{ readonly statuses: string[]; readonly stdout: string }> {
    const checked = script
      .replace("curl -sS", "curl -sS -w ' %{http_code}'")
      .replaceAll("id_of() { sed", "id_of() { tee >(cat >&2) | sed");
    const { stdout, stderr } = await run("bash", ["-euc", checked], {
      env: { PATH: process.env["PATH"], KEY, BASE: `http://127.0.0.1:${port}` },
    });
    const statuses = [...`${stdout}${stderr}`.matchAll(/\} (\d{3})$/gm)].map(([, status]) => status!);
    expect(statuses).toHaveLength([...script.matchAll(/\bcall \/(?:api\/)?v/g)].length);
    return { statuses, stdout };
  }

  test("those of docs/endpoints.md succeed unchanged, one after the other", async () => {
    const script = (await requestsIn("docs/endpoints.md")).join("\n");
    const { statuses, stdout } = await statusesOf(script);
    expect(statuses.length).toBeGreaterThan(20);
    expect(new Set(statuses)).toEqual(new Set(["200"]));
    expect(stdout).toContain('"guild_id":375357265198317579');
    expect(stdout).toMatch(/^event: changes\nid: \S+\ndata: .*"name":"Raids and trips"/m);
  });

  test("the request of an older client in docs/api.md succeeds without a warning", async () => {
    const text = await readFile(join(PROJECT, "docs/api.md"), "utf8");
    const [, body] = /\*\*Requests of older clients\.\*\*[\s\S]*?```json\n([\s\S]*?)```/.exec(text) ?? [];
    const headers = { Authorization: KEY, "Content-Type": "application/json" };
    const url = `http://127.0.0.1:${port}/v2/events/create`;
    const response = await fetch(url, { method: "POST", headers, body: body! });
    const { message, warnings } = (await response.json()) as { readonly message: string; readonly warnings?: unknown };
    expect([response.status, message, warnings]).toEqual([200, "Event created", undefined]);
  });

  test("those of README.md create an event and an announcement, which is posted, and sent in the history", async () => {
    const [creates = "", history = "", ...more] = await requestsIn("README.md");
    expect(more).toEqual([]);
    // Due in a few seconds instead of a minute.
    const soon = creates.replace("+ 120000", "+ 70000");
    expect(soon).not.toBe(creates);
    expect((await statusesOf(soon)).statuses).toEqual(["200", "200"]);
    await service.printed(/"content":"Subscribers: @everyone"[^\n]*"title":"Raid night"[^\n]*announcement posted/);
    await service.printed(/"state":"sent"[^\n]*announcement settled/);
    const definitions = creates.slice(0, creates.indexOf("START="));
    const { statuses, stdout } = await statusesOf(`${definitions}\n${history}`);
    expect(statuses).toEqual(["200"]);
    expect(stdout).toMatch(/"state":"sent"[^\n]*"late_ms":\d+/);
  });
});
