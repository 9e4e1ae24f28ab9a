import { once } from "node:events";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../../services/launch/embedded/embedded-mongod.ts";
import { accepts } from "../harness/accepts.ts";
import { NpmRun } from "../harness/npm-run.ts";
import { parentOf } from "../harness/service-process.ts";
import { until } from "../harness/until.ts";
import { removeFolder } from "../harness/remove-folder.ts";

/** It takes a second or two; on a busy machine, whose disk is shared, much longer. */
const GONE_WITHIN_MS = 60_000;

async function allGone(pids: readonly number[]): Promise<void> {
  const left = async () => (await Promise.all(pids.map(parentOf))).filter((parent) => parent !== undefined);
  await until(async () => (await left()).length === 0, "the end of every process", GONE_WITHIN_MS, 50);
}

describe("a signal to the npm process ends everything that its script started", () => {
  let directory: string;
  let port: number;
  let env: Record<string, string>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "guildcal-npm-"));
    port = await freePort(0);
    env = { DATA_DIR: directory, PORT: String(port), PROBE_PORT: "0" };
  });
  afterAll(() => removeFolder(directory));

  test.each([
    ["start", "SIGTERM", "/bin/dash"],
    ["start", "SIGHUP", "/bin/bash"],
    ["start:nats", "SIGTERM", "/bin/bash"],
    ["start:nats", "SIGINT", "/bin/dash"],
    // npm cannot forward this signal.
    ["start", "SIGKILL", "/bin/dash"],
  ] as const)("npm run %s, by %s, under %s", async (script, signal, shell) => {
    const run = new NpmRun(["run", script], { ...env, npm_config_script_shell: shell });
    await run.printed("guildcal is ready");
    const processes = await run.processes();
    expect(await run.running("mongod")).toHaveLength(1);
    expect(await run.running("nats-server")).toHaveLength(script === "start" ? 0 : 1);
    run.npm.kill(signal);
    await allGone(processes);
    await expect(accepts(port)).resolves.toBe(false);
    // mongod empties its lock file at a clean shutdown.
    await expect(readFile(join(directory, "mongodb", "mongod.lock"), "utf8")).resolves.toBe("");
  });

  test("Ctrl-C, which arrives from the terminal and from npm, ends the service gracefully, unlike a second press", async () => {
    const run = new NpmRun(["start"], env);
    await run.printed("guildcal is ready");
    const [processes, ended] = [await run.processes(), once(run.npm, "exit")];
    process.kill(-(run.npm.pid as number), "SIGINT");
    await allGone(processes);
    await expect(ended).resolves.toEqual([0, null]);
  });

  test("npm run start, by SIGTERM during the start", async () => {
    const run = new NpmRun(["start"], env);
    await run.startsMongod();
    const processes = await run.processes();
    run.npm.kill("SIGTERM");
    await expect(allGone(processes)).resolves.toBeUndefined();
  });

  test("npm run start, by SIGHUP before the service watches npm", async () => {
    const run = new NpmRun(["start"], env);
    await until(async () => (await run.processes()).length > 1, "npm has started its script");
    const processes = await run.processes();
    run.npm.kill("SIGHUP");
    await expect(allGone(processes)).resolves.toBeUndefined();
    await expect(accepts(port)).resolves.toBe(false);
  });

  test("npm run keys", async () => {
    const run = new NpmRun(["run", "keys", "--", "list"], env);
    await run.startsMongod();
    const processes = await run.processes();
    run.npm.kill("SIGTERM");
    await allGone(processes);
    await expect(readFile(join(directory, "mongodb", "mongod.lock"), "utf8")).resolves.toBe("");
  });

  test("npm run demo, which removes its data", async () => {
    const temporary = await mkdtemp(join(directory, "tmp-"));
    const run = new NpmRun(["run", "demo"], { TMPDIR: temporary, PORT: String(port) });
    await run.printed("2. An announcement");
    const processes = await run.processes();
    run.npm.kill("SIGTERM");
    await allGone(processes);
    const left = await readdir(temporary);
    expect(left.filter((name) => name.startsWith("guildcal-"))).toEqual([]);
  });
});
