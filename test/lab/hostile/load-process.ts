import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";

/** Starts a `*-process.ts` of this folder. A lower priority keeps an attacker from taking processor time from the service. */
export function startProcess(script: string, priority = 0): ChildProcess {
  const child = fork(join(import.meta.dirname, script), [], {
    execArgv: ["--disable-proto=delete"],
    stdio: "inherit",
  });
  if (priority !== 0 && child.pid !== undefined) setPriority(child.pid, priority);
  return child;
}
