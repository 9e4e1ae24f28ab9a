import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded-mongod.ts";
import { Launched } from "../real-parts/launched.ts";
import { emptyDatabase } from "../real-parts/test-services.ts";

const run = promisify(execFile);
const ROOT = dirname(dirname(import.meta.dirname));
const KEY = "a-key-of-twenty-characters-or-more";

describe("the README's requests by curl", () => {
  let service: Launched;
  let port: number;

  beforeAll(async () => {
    port = await freePort(0);
    service = new Launched("all", { MONGO_URL: emptyDatabase(), PORT: String(port), API_KEY: KEY });
    await service.printed(/guildcal is ready/);
  });
  afterAll(() => service.end());

  test("work as they stand, one after the other", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const section = readme.slice(readme.indexOf("### Every endpoint by curl"), readme.indexOf("## What is promised"));
    const script = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join("\n");
    // Each answer with its status, and shown also where only its id is used, so that one that failed is seen.
    const checked = script
      .replace("curl -sS", "curl -sS -w ' %{http_code}'")
      .replace("id_of() { sed", "id_of() { tee >(cat >&2) | sed");
    const { stdout, stderr } = await run("bash", ["-euc", checked], {
      env: { PATH: process.env["PATH"], KEY, BASE: `http://127.0.0.1:${port}` },
    });
    const statuses = [...`${stdout}${stderr}`.matchAll(/\} (\d{3})$/gm)].map(([, status]) => status);
    const calls = [...script.matchAll(/\bcall \/v/g)];
    expect(statuses).toHaveLength(calls.length);
    expect(new Set(statuses)).toEqual(new Set(["200"]));
    expect(stdout).toContain('"guild_id":375357265198317579');
  });
});
