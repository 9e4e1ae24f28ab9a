import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { childrenOf, commandLine, parentOf } from "../../../test/harness/service-process.ts";
import { until } from "../../../test/harness/until.ts";
import { spawnWithWatcher, startChildServer } from "./child-server.ts";

const run = promisify(execFile);
const MODULE = JSON.stringify(new URL("child-server.ts", import.meta.url).href);

test("a program ends with its owner, even if the owner is killed at the moment of the start", async () => {
  const script = `
    import { writeSync } from "node:fs";
    const { spawnWithWatcher } = await import(${MODULE});
    writeSync(1, String(spawnWithWatcher("sleep", ["300"], {}).pid));
    process.kill(process.pid, "SIGKILL");`;
  const killed = await run(process.execPath, ["--input-type=module", "-e", script]).catch((error: unknown) => error);
  const { signal, stdout } = killed as { readonly signal: string; readonly stdout: string };
  expect([signal, Number(stdout)]).toEqual(["SIGKILL", expect.any(Number)]);
  await until(async () => (await parentOf(Number(stdout))) === undefined, "the end of the program", 10_000);
});

test("a watcher ends with its program, and does not have its environment", async () => {
  const program = spawnWithWatcher("sleep", ["300"], { PATH: process.env["PATH"] ?? "", SECRET: "of the program" });
  const pid = program.pid as number;
  let watcher = 0;
  await until(async () => {
    [watcher = 0] = await childrenOf(pid);
    const command = watcher === 0 ? [] : await commandLine(watcher);
    // For a moment the watcher is still the `env` that clears its environment, with the same arguments.
    return command[0] === "/bin/sh" && command.at(-1) === String(pid);
  }, "a watcher");
  await expect(readFile(`/proc/${watcher}/environ`, "utf8")).resolves.not.toContain("SECRET");
  program.kill("SIGKILL");
  await once(program, "exit");
  const isGone = async () => (await parentOf(watcher)) === undefined;
  await expect(until(isGone, "the end of the watcher", 4_000)).resolves.toBeUndefined();
});

const env = { PATH: process.env["PATH"] ?? "" };
const isReady = (line: string) => line === "ready";

test.each(["echo first; echo ready; exec sleep 300", "echo first >&2; echo ready >&2; exec sleep 300"])(
  "a server is started when it says so: %s",
  async (script) => {
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line);
    const server = await startChildServer({ program: "/bin/sh", args: ["-c", script], env, onLine, isReady });
    expect(lines).toEqual(["first", "ready"]);
    await server.stop();
    await expect(server.exited).resolves.toBeUndefined();
  },
);

test("a server that ends before it is ready is not started, and its last line is received", async () => {
  const lines: string[] = [];
  const onLine = (line: string) => void lines.push(line);
  const args = ["-c", "echo the port is taken >&2; exit 1"];
  await expect(startChildServer({ program: "/bin/sh", args, env, onLine, isReady })).rejects.toThrow("it ended");
  expect(lines).toEqual(["the port is taken"]);
});
