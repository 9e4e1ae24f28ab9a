import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ROUTES } from "../../services/api/route-table.ts";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { type ApiResponse, GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { until } from "../harness/until.ts";
import { childrenOf, commandLine, parentOf, serviceProcess } from "../harness/service-process.ts";
import { OWNERS } from "../../services/contracts/service-names.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const KEY = "a-key-of-twenty-characters-or-more";
const guild = { guild_id: "375357265198317579" };
const calendar = { ...guild, calendar_number: 1 };
const DEADLINE_MS = 30_000;

/** A read of each service, by the service. */
const READS = {
  "guild-settings": ["/v2/guild/settings/get", guild],
  "calendar-events": ["/v2/events/list/ongoing", calendar],
  announcements: ["/v1/announcement/list", { ...guild, amount: -1 }],
  dispatch: ["/v1/announcement/history", { ...guild, amount: 1 }],
} as const;

describe("npm run start:nats, with a process for each service", () => {
  let service: GuildcalProcess;
  let baseUrl: string;
  let directory: string;
  const ask = (name: keyof typeof READS): Promise<ApiResponse> => post(baseUrl, KEY, READS[name][0], READS[name][1]);

  beforeAll(async () => {
    const port = await freePort(0);
    baseUrl = `http://127.0.0.1:${port}`;
    directory = await mkdtemp(join(tmpdir(), "guildcal-nats-"));
    service = new GuildcalProcess("nats", { DATA_DIR: directory, PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
  });
  afterAll(async () => {
    await service.end("SIGKILL");
    await removeFolder(directory);
  });

  test("every process that runs a service has the options of Node that the supervisor has (D8)", async () => {
    const lines = await Promise.all([service.pid, ...(await childrenOf(service.pid))].map(commandLine));
    const ours = lines.filter((words) => words.some((word) => word.endsWith("services/launch/start.js")));
    expect(new Set(ours.map((words) => words.at(-1)))).toEqual(new Set([...OWNERS, "api", "nats"]));
    const options = ["--disable-proto=delete", "--max-semi-space-size=8", "--heap-growing-percent=100"];
    expect(ours.filter((words) => options.some((option) => !words.includes(option)))).toEqual([]);
  });

  async function answered(name: keyof typeof READS, status: number): Promise<ApiResponse> {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const response = await ask(name);
      if (response.status === status || Date.now() > deadline) return response;
      // Below the rate limit of a guild.
      await pause(20);
    }
  }

  test("each service has the permissions that every route needs, on the bus and in the database, and no password is visible", async () => {
    const responses = await Promise.all(
      ROUTES.map(({ paths: [path], example }) => post(baseUrl, KEY, path, example.request)),
    );
    expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
    expect(service.output).not.toContain("refused by the NATS server");
    const pids = [service.pid, ...(await childrenOf(service.pid))];
    const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8")));
    // A password has 64 hexadecimal digits.
    expect([service.output, ...commands].filter((text) => /[0-9a-f]{64}/.test(text))).toEqual([]);
  });

  test.each(Object.keys(READS) as (keyof typeof READS)[])(
    "kill -9 of %s: 503 for its own requests only, and the service is started again",
    async (killed) => {
      const pid = await serviceProcess(service.pid, killed);
      // The supervisor would start the service again, sometimes before a request fails.
      process.kill(service.pid, "SIGSTOP");
      try {
        process.kill(pid, "SIGKILL");
        await expect(answered(killed, 503)).resolves.toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
        const others = (Object.keys(READS) as (keyof typeof READS)[]).filter((other) => other !== killed);
        const responses = await Promise.all(others.map(ask));
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      } finally {
        process.kill(service.pid, "SIGCONT");
      }
      await expect(answered(killed, 200)).resolves.toMatchObject({ status: 200 });
    },
  );

  test("kill -9 of nats-server: it is started again, and all services work again", async () => {
    process.kill(await serviceProcess(service.pid, "--addr"), "SIGKILL");
    await service.printed(/nats-server ended unexpectedly; restarting it/);
    const names = Object.keys(READS) as (keyof typeof READS)[];
    const responses = await Promise.all(names.map((name) => answered(name, 200)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("SIGTERM ends all processes", async () => {
    const children = await childrenOf(service.pid);
    expect(children.length).toBeGreaterThanOrEqual(5);
    await expect(service.end("SIGTERM")).resolves.toBe(0);
    // Calls to killed processes have timed out above, so that none is in flight at the end.
    expect(service.output).not.toContain("GracefulStopTimeoutError");
    const left = async () => (await Promise.all(children.map(parentOf))).filter((parent) => parent !== undefined);
    await until(async () => (await left()).length === 0, "the end of all processes");
  });
});
