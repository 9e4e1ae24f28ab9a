import { once } from "node:events";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { NpmRun } from "../harness/npm-run.ts";
import { removeFolder } from "../harness/remove-folder.ts";
import { parentOf } from "../harness/service-process.ts";
import { until } from "../harness/until.ts";

type Json = Record<string, unknown>;

const DAY_MS = 86_400_000;
/** The console shows the posts of this time ahead. */
const AHEAD_MS = 31 * DAY_MS;

describe("npm run demo", () => {
  test("starts a service, prints each request and response, moves the event, and ends after the post", async () => {
    const demo = new GuildcalProcess("demo", { PORT: String(await freePort(0)) });
    await expect(demo.exitCode()).resolves.toBe(0);
    expect(demo.output).toMatch(/POST \/v2\/events\/create[\s\S]*POST \/v1\/announcement\/create/);
    const dues = [...demo.output.matchAll(/"due":(\d+)/g)].map(([, due]) => Number(due));
    expect((dues[1] as number) - (dues[0] as number)).toBe(4_000);
    expect(demo.output).toMatch(/Posted \d+ ms after it was due, as message \S+\./);
    expect(demo.output).toMatch(/npm run demo -- --keep starts a service with a guild to look at/);
  });
});

describe("npm run demo -- --keep", () => {
  let temporary: string;
  let run: NpmRun;
  let send: (path: string, body?: Json) => Promise<Json>;

  beforeAll(async () => {
    temporary = await mkdtemp(join(tmpdir(), "guildcal-keep-"));
    run = new NpmRun(["run", "demo", "--", "--keep"], { TMPDIR: temporary, PORT: String(await freePort(0)) });
    await run.printed("Ctrl-C ends the service");
    const [, baseUrl = "", key = "", guild = ""] =
      /The console: (\S+)\/console\n +API key +(\S+)\n +guild +(\d+)\n/.exec(run.output) ?? [];
    send = async (path, body = {}) => {
      const response = await post(baseUrl, key, path, { guild_id: guild, ...body });
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
      return response.body;
    };
  });
  afterAll(async () => {
    if (run.npm.exitCode === null) process.kill(-(run.npm.pid as number), "SIGKILL");
    await removeFolder(temporary);
  });

  const posts = async (list: "history" | "upcoming", window: Json) =>
    (await send(`/v1/announcement/${list}`, window))["posts"] as Json[];

  test("fills a guild with announcements that have offsets, a template, a digest, a pause and holidays", async () => {
    const { announcements } = await send("/v1/announcement/list", { amount: -1 });
    expect(announcements).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: "RECUR",
          offsets: expect.arrayContaining([
            { anchor: "START", minutes: -30 },
            { anchor: "END", minutes: 15 },
          ]),
          template: expect.objectContaining({ title: "{name} at {location}" }),
          skip_on: 3,
          on_change: "EDIT",
          clean_up: 720,
        }),
        expect.objectContaining({ type: "DIGEST", digest: expect.objectContaining({ frequency: "WEEKLY" }) }),
        expect.objectContaining({ type: "RECUR", paused_until: expect.any(Number) }),
      ]),
    );
    expect(await send("/v2/guild/settings/get")).toMatchObject({ template: { title: "{name} ({calendar})" } });
    const { calendars } = await send("/v2/calendar/list");
    expect(calendars).toMatchObject([{ name: "Raids" }, { name: "Community" }, { name: "Holidays" }]);
  });

  test("has posts of several outcomes in the history, each with its reason", async () => {
    expect(await posts("history", { amount: -1 })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ state: "sent", anchor: "CREATED" }),
        expect.objectContaining({ state: "sent", steps: [expect.objectContaining({ step: "EDITED" })] }),
        expect.objectContaining({ reason_code: "HOLIDAY", reason: "holiday: Lantern festival" }),
        expect.objectContaining({ reason_code: "PAUSED", reason: expect.stringContaining("(event)") }),
        expect.objectContaining({ state: "cancelled", reason: "the event was moved" }),
        expect.objectContaining({ state: "skipped", reason_code: "ANNOUNCEMENT_CHANGED" }),
      ]),
    );
  });

  test("has posts ahead that a holiday or a pause will skip, and digests", async () => {
    const ahead = await posts("upcoming", { due_until: Date.now() + AHEAD_MS, limit: 1000 });
    expect(ahead).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ skip_code: "HOLIDAY", skip_reason: "holiday: Founders' day" }),
        expect.objectContaining({ skip_code: "PAUSED", skip_reason: expect.stringContaining("(announcement)") }),
        expect.objectContaining({ event_id: expect.stringMatching(/^d[0-9a-f]{32}_/) }),
      ]),
    );
  });

  test("names an event that will be posted within a minute", async () => {
    const { events } = await send("/v2/events/search", { calendar_number: 1, text: "Boss rush" });
    const [{ event_id } = {}] = events as Json[];
    const all = [...(await posts("upcoming", {})), ...(await posts("history", { amount: -1 }))];
    expect(all).toContainEqual(expect.objectContaining({ event_id, due: expect.any(Number) }));
    expect(run.output).toContain("Boss rush");
  });

  test("ends by Ctrl-C, and removes its data", async () => {
    const dataFolders = async () => (await readdir(temporary)).filter((name) => name.startsWith("guildcal-"));
    await expect(dataFolders()).resolves.toHaveLength(1);
    const [processes, ended] = [await run.processes(), once(run.npm, "exit")];
    process.kill(-(run.npm.pid as number), "SIGINT");
    await expect(ended).resolves.toEqual([0, null]);
    const left = async () => (await Promise.all(processes.map(parentOf))).filter((parent) => parent !== undefined);
    await until(async () => (await left()).length === 0, "the end of every process", 60_000, 50);
    await expect(dataFolders()).resolves.toEqual([]);
  });
});
