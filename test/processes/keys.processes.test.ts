import { execFile } from "node:child_process";
import { mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { GuildcalProcess, post } from "../harness/guildcal-process.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

const run = promisify(execFile);
const START = join(import.meta.dirname, "../../services/launch/start.js");
const GUILD = "375357265198317579";

describe("npm run keys, on the embedded MongoDB", () => {
  let directory: string;
  let env: Record<string, string>;
  let baseUrl: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal's keys-"));
    const port = await freePort(0);
    baseUrl = `http://127.0.0.1:${port}`;
    env = { PATH: process.env["PATH"]!, DATA_DIR: directory, PORT: String(port) };
  });
  afterAll(() => removeFolder(directory));

  const keys = async (...words: string[]) => (await run(process.execPath, [START, "keys", ...words], { env })).stdout;
  const keysJson = async (...words: string[]) => JSON.parse(await keys(...words, "--json")) as Record<string, string>;
  const statusOf = async (key: string) =>
    (await post(baseUrl, key, "/v2/guild/settings/get", { guild_id: GUILD })).status;

  test("creates a key before the first start of the service, and a pepper in the data folder that only its owner can read", async () => {
    const made = await keys("create", "--kind", "guild", "--guild", GUILD, "--label", "before");
    expect(made).toMatch(/^gc_live_[0-9a-f]{20}_[0-9a-f]{64}_[0-9a-f]{8}\n\(shown only now/);
    const { mode } = await stat(join(directory, "api-key-pepper"));
    expect(mode & 0o777).toBe(0o600);
  });

  test("rotates and revokes keys of the running service within five seconds", async () => {
    const service = new GuildcalProcess("all", env);
    await service.printed(/guildcal is ready/);
    try {
      const { id, key } = await keysJson("create", "--kind", "service", "--label", "bot", "--read-only");
      expect(await statusOf(key!)).toBe(200);
      const { key: next } = await keysJson("rotate", id!, "--overlap-hours", "0");
      await until(async () => (await statusOf(key!)) === 401, "the old secret is refused", 5_000);
      expect(await statusOf(next!)).toBe(200);
      await keys("revoke", id!);
      await until(async () => (await statusOf(next!)) === 401, "the key is refused", 5_000);
      const listed = await keys("list");
      expect(listed).toMatch(new RegExp(`${id}  revoked .*  service  read  all guilds .*  bot`));
      expect(listed).not.toContain(next!.slice(0, 40));
      const audited = await keys("audit", id!, "--amount", "2");
      expect(audited).toMatch(
        /^\S+  revoked  .*  by npm run keys, by .*\n\S+  rotated  .*\nthere is more: --before \S+\n$/,
      );
      const [, before] = /--before (\S+)/.exec(audited) as RegExpExecArray;
      expect(await keys("audit", id!, "--before", before!)).toMatch(/^\S+  created  \S+  by \S.*\n$/);
    } finally {
      await service.end();
    }
  });

  test.each([
    [["rotate", "nobody"], "Key not found"],
    [["create", "--kind", "guild", "--label", "x"], "guilds is required when the kind is guild"],
    [["create", "--kind", "service", "--label", "x", "--expires", "soon"], "--expires must be a time"],
    [["create", "--nonsense"], "Unknown option '--nonsense'"],
    [["dance"], "npm run keys -- list"],
  ])("%p prints the error, and ends with exit code 1", async (words, expected) => {
    await expect(run(process.execPath, [START, "keys", ...words], { env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(expected) as unknown,
    });
  });
});
