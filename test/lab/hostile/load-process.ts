import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { join } from "node:path";

/** Starts one of this folder's `*-process.ts`; a lower priority keeps an attacker from taking the service's processor. */
export function startProcess(script: string, priority = 0): ChildProcess {
  const child = fork(join(import.meta.dirname, script), [], {
    execArgv: ["--disable-proto=delete"],
    stdio: "inherit",
  });
  if (priority !== 0 && child.pid !== undefined) setPriority(child.pid, priority);
  return child;
}
